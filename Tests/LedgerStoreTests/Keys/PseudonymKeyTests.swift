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
        _ store: TestStore, under seal: KeySeal = KeySeal(old), via instance: Int = 0
    ) async throws -> Result<[UInt8], InstallationKeys.Fault> {
        try await InstallationKeys(
            pool: store.instances[instance].pool, seal: seal, now: { store.clock.now },
            random: { (0..<$0).map { _ in .random(in: .min ... .max) } }
        ).pseudonymKey().map(\.bytes)
    }

    private static func sealed(_ store: TestStore) async throws -> [[Value]] {
        try await store.schema.dump("installation_keys")
    }

    @Test func `of instances that start at once one makes it, and all have the same for ever`() async throws {
        try await TestStore.open(instances: 2) { store in
            let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for racer in 0..<16 {
                    group.addTask {
                        try await TestOperators.patiently { try await Self.open(store, via: racer % 2) }.get()
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            let key = try #require(keys.first)
            #expect(keys.count == 1 && key.count == PseudonymKey.byteCount)
            let row = try await Self.sealed(store)
            #expect(row.count == 1)
            #expect(try await Self.open(store) == .success(key))
            #expect(try await Self.sealed(store) == row, "what is in order is not written again")
        }
    }

    @Test func `it stands in the database sealed, and nothing prints it`() async throws {
        try await TestStore.open { store in
            let key = try await Self.open(store).get()
            let digits = TestStore.digits(of: key)
            let text = try await store.everything()
            #expect(!text.contains(digits) && !text.contains(digits.prefix(23)))
            #expect("\(PseudonymKey(bytes: key))" == "(secret)")
        }
    }

    @Test func `labels are those of the key, and another key makes others`() {
        let (labels, others) = (Sample.pseudonymKey.labels, PseudonymKey(bytes: Array(2...33)).labels)
        #expect(labels.label(.account, "1").text.utf8.count == 22)
        #expect(labels.label(.account, "1") == Sample.labels.label(.account, "1"))
        #expect(labels.label(.account, "1") != others.label(.account, "1"))
        #expect(Sample.pseudonymKey.checkValue != PseudonymKey(bytes: Array(2...33)).checkValue)
    }

    @Test func `what was sealed under a previous key is opened, and sealed again under the current one`() async throws {
        try await TestStore.open(instances: 2) { store in
            let key = try await Self.open(store).get()
            let before = try await Self.sealed(store)
            let turning = KeySeal(Self.new, previous: [SymmetricKey(size: .bits256), Self.old])
            #expect(try await Self.open(store, under: turning) == .success(key))
            let after = try await Self.sealed(store)
            #expect(after != before && after.count == 1)
            #expect(try await Self.open(store, under: turning, via: 1) == .success(key))
            #expect(try await Self.sealed(store) == after, "once")
            #expect(try await Self.open(store, under: KeySeal(Self.new)) == .success(key))
            #expect(try await Self.open(store) == .failure(.notOpened), "nobody needs the old one any more")
            // An instance that is not rolled out again yet knows the new one already.
            #expect(try await Self.open(store, under: KeySeal(Self.old, previous: [Self.new])) == .success(key))
        }
    }

    @Test func `another key-encryption key is refused, and changes nothing`() async throws {
        try await TestStore.open { store in
            let key = try await Self.open(store).get()
            let row = try await Self.sealed(store)
            let strange = KeySeal(SymmetricKey(size: .bits256), previous: [Self.new])
            #expect(try await Self.open(store, under: strange) == .failure(.notOpened))
            #expect(try await Self.sealed(store) == row)
            #expect(try await Self.open(store) == .success(key))
        }
    }

    @Test func `whether it can be opened is told without a trace`() async throws {
        try await TestStore.open { store in
            let fault = { (seal: KeySeal) in
                try await InstallationKeys(
                    pool: store.pool, seal: seal, now: { store.clock.now }, random: { _ in [] }
                ).fault()
            }
            #expect(try await fault(KeySeal(Self.old)) == nil, "the first is still to be made")
            #expect(try await Self.sealed(store).isEmpty)
            _ = try await Self.open(store).get()
            let row = try await Self.sealed(store)
            #expect(try await fault(KeySeal(Self.old)) == nil)
            #expect(try await fault(KeySeal(Self.new)) == .notOpened)
            #expect(try await fault(KeySeal(Self.new, previous: [Self.old])) == nil)
            #expect(try await Self.sealed(store) == row, "nothing is sealed again")
            try await store.attach(Sample.pass("1"), to: Sample.user("anna"))
            try await store.schema.rows("DELETE FROM installation_keys")
            #expect(try await fault(KeySeal(Self.old)) == .missing)
            #expect(try await Self.sealed(store).isEmpty)
        }
    }

    @Test(
        arguments: [
            "sealed_key = REVERSE(sealed_key)", "sealed_key = ''", "sealed_key = SUBSTRING(sealed_key, 2)",
            "check_value = REVERSE(check_value)", "check_value = ''",
        ])
    func `a seal or a check value that was changed is refused`(edit: String) async throws {
        try await TestStore.open { store in
            let key = try await Self.open(store).get()
            try await store.schema.rows("CREATE TABLE kept AS SELECT * FROM installation_keys")
            try await store.schema.rows("UPDATE installation_keys SET \(edit)")
            let row = try await Self.sealed(store)
            #expect(try await Self.open(store) == .failure(.notOpened))
            #expect(try await Self.sealed(store) == row, "no new one is made in its place")
            try await store.schema.rows("REPLACE INTO installation_keys SELECT * FROM kept")
            #expect(try await Self.open(store) == .success(key))
        }
    }

    @Test func `one that is gone from a database in use is missed, and none is made in its place`() async throws {
        try await TestStore.open { store in
            let key = try await Self.open(store).get()
            try await store.schema.rows("CREATE TABLE kept AS SELECT * FROM installation_keys")
            try await store.attach(Sample.pass("1"), to: Sample.user("anna"))
            try await store.schema.rows("DELETE FROM installation_keys")
            #expect(try await Self.open(store) == .failure(.missing))
            #expect(try await Self.sealed(store).isEmpty)
            try await store.schema.rows("INSERT INTO installation_keys SELECT * FROM kept")
            #expect(try await Self.open(store) == .success(key))
        }
    }

    @Test func `another secret that was sealed under the same key is refused in its place`() async throws {
        try await TestStore.open { store in
            _ = try await Self.open(store).get()
            let other = try #require(KeySeal(Self.old).seal(Array(1...32), as: "kid"))
            try await store.schema.rows("UPDATE installation_keys SET sealed_key = ?", [.bytes(other)])
            #expect(try await Self.open(store) == .failure(.notOpened))
            // Sealed under the right name, it is another key still.
            let wrong = try #require(KeySeal(Self.old).seal(Array(1...32), as: "pseudonym"))
            try await store.schema.rows("UPDATE installation_keys SET sealed_key = ?", [.bytes(wrong)])
            #expect(try await Self.open(store) == .failure(.notOpened))
        }
    }
}
