import Crypto
import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// One pseudonym key per installation, made once and kept sealed (`semantics.md` §5, *Names at the door*).
@Suite(.serialized) struct PseudonymKeyTests {
    private static let (old, new) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))

    private static func open(
        _ shop: Shop, under seal: KeySeal = KeySeal(old), via instance: Int = 0
    ) async throws -> Result<[UInt8], InstallationKeys.Fault> {
        try await InstallationKeys(
            pool: shop.instances[instance].pool, seal: seal, now: { shop.clock.now },
            random: { (0..<$0).map { _ in .random(in: .min ... .max) } }
        ).pseudonymKey().map(\.bytes)
    }

    private static func sealed(_ shop: Shop) async throws -> [[Value]] {
        try await shop.schema.dump("installation_keys")
    }

    @Test func `of instances that start at once one makes it, and all have the same for ever`() async throws {
        try await Shop.open(instances: 2) { shop in
            let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for racer in 0..<16 {
                    group.addTask {
                        try await Desk.patiently { try await Self.open(shop, via: racer % 2) }.get()
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            let key = try #require(keys.first)
            #expect(keys.count == 1 && key.count == PseudonymKey.byteCount)
            let row = try await Self.sealed(shop)
            #expect(row.count == 1)
            #expect(try await Self.open(shop) == .success(key))
            #expect(try await Self.sealed(shop) == row, "what is in order is not written again")
        }
    }

    @Test func `it stands in the database sealed, and nothing prints it`() async throws {
        try await Shop.open { shop in
            let key = try await Self.open(shop).get()
            let digits = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let text = try await shop.everything()
            #expect(!text.contains(digits) && !text.contains(digits.prefix(16)))
            #expect("\(PseudonymKey(bytes: key))" == "(secret)")
        }
    }

    @Test func `labels are those of the key, and another key makes others`() {
        let (labels, others) = (Books.pseudonymKey.labels, PseudonymKey(bytes: Array(2...33)).labels)
        #expect(labels.label(.account, "1").text.utf8.count == 22)
        #expect(labels.label(.account, "1") == Books.labels.label(.account, "1"))
        #expect(labels.label(.account, "1") != others.label(.account, "1"))
        #expect(Books.pseudonymKey.checkValue != PseudonymKey(bytes: Array(2...33)).checkValue)
    }

    @Test func `what was sealed under a previous key is opened, and sealed again under the current one`() async throws {
        try await Shop.open(instances: 2) { shop in
            let key = try await Self.open(shop).get()
            let before = try await Self.sealed(shop)
            let turning = KeySeal(Self.new, previous: [SymmetricKey(size: .bits256), Self.old])
            #expect(try await Self.open(shop, under: turning) == .success(key))
            let after = try await Self.sealed(shop)
            #expect(after != before && after.count == 1)
            #expect(try await Self.open(shop, under: turning, via: 1) == .success(key))
            #expect(try await Self.sealed(shop) == after, "once")
            #expect(try await Self.open(shop, under: KeySeal(Self.new)) == .success(key))
            #expect(try await Self.open(shop) == .failure(.notOpened), "nobody needs the old one any more")
            // An instance that is not rolled out again yet knows the new one already.
            #expect(try await Self.open(shop, under: KeySeal(Self.old, previous: [Self.new])) == .success(key))
        }
    }

    @Test func `another key-encryption key is refused, and changes nothing`() async throws {
        try await Shop.open { shop in
            let key = try await Self.open(shop).get()
            let row = try await Self.sealed(shop)
            let strange = KeySeal(SymmetricKey(size: .bits256), previous: [Self.new])
            #expect(try await Self.open(shop, under: strange) == .failure(.notOpened))
            #expect(try await Self.sealed(shop) == row)
            #expect(try await Self.open(shop) == .success(key))
        }
    }

    @Test(
        arguments: [
            "sealed_key = REVERSE(sealed_key)", "sealed_key = ''", "sealed_key = SUBSTRING(sealed_key, 2)",
            "check_value = REVERSE(check_value)", "check_value = ''",
        ])
    func `a seal or a check value that was changed is refused`(edit: String) async throws {
        try await Shop.open { shop in
            let key = try await Self.open(shop).get()
            try await shop.schema.rows("CREATE TABLE kept AS SELECT * FROM installation_keys")
            try await shop.schema.rows("UPDATE installation_keys SET \(edit)")
            let row = try await Self.sealed(shop)
            #expect(try await Self.open(shop) == .failure(.notOpened))
            #expect(try await Self.sealed(shop) == row, "no new one is made in its place")
            try await shop.schema.rows("REPLACE INTO installation_keys SELECT * FROM kept")
            #expect(try await Self.open(shop) == .success(key))
        }
    }

    @Test func `one that is gone from a database in use is missed, and none is made in its place`() async throws {
        try await Shop.open { shop in
            let key = try await Self.open(shop).get()
            try await shop.schema.rows("CREATE TABLE kept AS SELECT * FROM installation_keys")
            try await shop.attach(Books.pass("1"), to: Books.user("anna"))
            try await shop.schema.rows("DELETE FROM installation_keys")
            #expect(try await Self.open(shop) == .failure(.missing))
            #expect(try await Self.sealed(shop).isEmpty)
            try await shop.schema.rows("INSERT INTO installation_keys SELECT * FROM kept")
            #expect(try await Self.open(shop) == .success(key))
        }
    }

    @Test func `another secret that was sealed under the same key is refused in its place`() async throws {
        try await Shop.open { shop in
            _ = try await Self.open(shop).get()
            let other = try #require(KeySeal(Self.old).seal(Array(1...32), as: "kid"))
            try await shop.schema.rows("UPDATE installation_keys SET sealed_key = ?", [.bytes(other)])
            #expect(try await Self.open(shop) == .failure(.notOpened))
            // Sealed under the right name, it is another key still.
            let wrong = try #require(KeySeal(Self.old).seal(Array(1...32), as: "pseudonym"))
            try await shop.schema.rows("UPDATE installation_keys SET sealed_key = ?", [.bytes(wrong)])
            #expect(try await Self.open(shop) == .failure(.notOpened))
        }
    }
}
