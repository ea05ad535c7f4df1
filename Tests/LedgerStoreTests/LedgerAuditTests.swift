import Entitlements
import LedgerStore
import MariaDB
import Support
import Synchronization
import Testing

/// The audit of the ledgers finds what was changed by SQL wherever answers come from, names the place, and holds nobody
/// up.
@Suite(.serialized) struct LedgerAuditTests {
    private typealias Tampering = (name: String, edits: [String], defects: [LedgerFault.Defect])

    /// Anna is 1 and has passes in the rows 1 and 2, of which 1 was refunded in part, and a grant in row 3; Ben has row
    /// 4. Row 5 is nobody's.
    private static let tamperings: [Tampering] = [
        (
            "a grant deleted",
            ["DELETE FROM ledger_entries WHERE kind = 'granted' AND user_id = 1 AND purchase_id = 3"],
            [.missing(sequence: 8), .edited(sequence: 9)]
        ),
        (
            "a grant deleted from the ledger", ["DELETE FROM ledger_entries WHERE purchase_id = 3"],
            [.head, .notOwned(purchase: 3)]
        ),
        (
            "a grant deleted everywhere",
            ["DELETE FROM ledger_entries WHERE purchase_id = 3", "DELETE FROM purchases WHERE id = 3"], [.head]
        ),
        (
            "a grant a hundred times as long",
            ["UPDATE ledger_entries SET content = REPLACE(content, '259200000', '25920000000') WHERE purchase_id = 3"],
            [.edited(sequence: 8)]
        ),
        (
            "another product", ["UPDATE apple_iap_transactions SET product_id = 'vault' WHERE id = 1"],
            [.stateEdited(sequence: 1, row: 1)]
        ),
        (
            "another date", ["UPDATE apple_iap_transactions SET purchase_at = purchase_at + 86400000 WHERE id = 1"],
            [.stateEdited(sequence: 1, row: 1)]
        ),
        (
            "another end", ["UPDATE apple_iap_transactions SET expires_at = 4102444800000 WHERE id = 1"],
            [.stateEdited(sequence: 1, row: 1)]
        ),
        (
            "another share", ["UPDATE apple_iap_transactions SET share = 1 WHERE id = 3"],
            [.stateEdited(sequence: 5, row: 3)]
        ),
        (
            "no refund", ["UPDATE apple_iap_transactions SET revocation_at = NULL, share = NULL WHERE id = 3"],
            [.stateEdited(sequence: 5, row: 3)]
        ),
        (
            "another signing date", ["UPDATE apple_iap_transactions SET signed_at = signed_at + 1 WHERE id = 1"],
            [.edited(sequence: 1)]
        ),
        (
            "no state", ["DELETE FROM apple_iap_transactions WHERE id = 1"],
            [.edited(sequence: 1), .stateEdited(sequence: 1, row: 1)]
        ),
        ("another owner", ["UPDATE purchases SET user_id = \(ben) WHERE id = 1"], [.disowned(purchase: 1)]),
        ("no owner", ["UPDATE purchases SET user_id = NULL WHERE id = 1"], [.disowned(purchase: 1)]),
        ("an owner of what is nobody's", ["UPDATE purchases SET user_id = 1 WHERE id = 5"], [.notOwned(purchase: 5)]),
        ("one who never had it", ["INSERT INTO purchase_holders VALUES (5, 1)"], [.notHeld(purchase: 5)]),
        (
            "an entry before the first",
            [
                """
                INSERT INTO ledger_entries (user_id, seq, recorded_at, effective_at, kind, hash, content)
                SELECT 1, 0, 1, 1, 'sandbox_tester', hash, '[true]' FROM ledger_entries WHERE user_id = 1 AND seq = 1
                """
            ],
            [.edited(sequence: 0), .edited(sequence: 1)]
        ),
        (
            "nothing but a head",
            [
                "DELETE FROM ledger_entries WHERE user_id = 1", "UPDATE purchases SET user_id = NULL",
                "DELETE FROM purchase_holders",
            ], [.head]
        ),
        ("nobody", ["UPDATE users SET pseudonym = 9 WHERE pseudonym = 1"], [.nobodys]),
    ]

    private static let ben = "(SELECT pseudonym FROM users WHERE user_id = 'ben')"

    private func fill(_ shop: Shop) async throws {
        let (anna, ben) = (Books.user("anna"), Books.user("ben"))
        try await shop.attach(Books.pass("1", day: 20), to: anna)
        try await shop.attach(Books.pass("2", day: 30), to: anna)
        try await shop.attach(Books.pass("1", day: 20, signedDay: 35, revokedDay: 35, share: 40_000), to: anna)
        #expect(try await shop.schema.number("SELECT ledger_length FROM users") == 5)
        try await shop.register(Books.device("d"), of: anna)
        try await shop.register(Books.device("e"), of: anna)
        try await shop.grant(.addDays(3, of: TierID("pro")), as: "g", to: anna)
        _ = try await shop.attach(Books.pass("4", day: 30), to: ben)
        _ = try await shop.ledger.record([Shop.evidence(Books.pass("5"))], for: []) { _ in
            Decision<Void, Never>(answer: .success(()))
        }
    }

    @Test func `every change is found, with its place and in words`() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let audit = LedgerAudit(pool: shop.pool)
            #expect(try await audit.faults() == [])
            for tampering in Self.tamperings {
                let kept = try await shop.keep()
                for edit in tampering.edits { try await shop.schema.rows(edit) }
                let faults = try await audit.faults().filter { $0.pseudonym == 1 }
                #expect(faults.map(\.defect) == tampering.defects, "\(tampering.name)")
                for page in [1, 2, 3] {
                    let paged = try await LedgerAudit(pool: shop.pool, page: page).faults()
                    #expect(paged.filter { $0.pseudonym == 1 } == faults, "\(tampering.name)")
                }
                if tampering.name != "nobody" {
                    let hers = try await audit.faults(of: Books.user("anna"))
                    #expect(hers == faults, "\(tampering.name)")
                    #expect(hers.allSatisfy { $0.description.hasPrefix("anna (#1): ") })
                }
                #expect(faults.allSatisfy { $0.unnamed.hasPrefix("#1: ") && !$0.unnamed.contains("anna") })
                try await kept()
            }
            #expect(try await audit.faults() == [])
        }
    }

    @Test func `who had a purchase stands in the table and in the ledger`() async throws {
        try await Shop.open { shop in
            try await shop.attach(Books.pass("1", day: 30), to: Books.user("anna"))
            try await shop.transfer(.all, from: Books.user("anna"), to: Books.user("ben"))
            let audit = LedgerAudit(pool: shop.pool)
            #expect(try await audit.faults() == [])
            for (edit, user) in [
                ("DELETE FROM purchase_holders", "anna"),
                ("INSERT INTO purchase_holders SELECT 1, pseudonym FROM users WHERE user_id = 'ben'", "ben"),
            ] {
                let kept = try await shop.keep()
                try await shop.schema.rows(edit)
                let faults = try await audit.faults()
                #expect(faults.map(\.defect) == [.notHeld(purchase: 1)] && faults[0].user == Books.user(user))
                try await kept()
            }
        }
    }

    @Test func `a place far behind the end does not keep the audit busy`() async throws {
        try await Shop.open { shop in
            try await shop.attach(Books.pass("1"), to: Books.user("anna"))
            try await shop.schema.rows("UPDATE ledger_entries SET seq = 9000000000000000000 WHERE seq = 2")
            let faults = try await LedgerAudit(pool: shop.pool).faults()
            #expect(faults.first?.defect == .missing(sequence: 2) && faults.count < 25)
            try await shop.schema.rows("UPDATE ledger_entries SET user_id = 18446744073709551615 WHERE seq > 2")
            #expect(try await LedgerAudit(pool: shop.pool).faults().count == 3)
        }
    }

    @Test func `what is recorded while the audit goes on is no fault, and does not wait for it`() async throws {
        try await Shop.open { shop in
            let users = (0..<4).map { Books.user("u\($0)") }
            for (number, user) in users.enumerated() {
                try await shop.restore((0..<4).map { Books.pass("\(number)-\($0)") }, to: user)
            }
            let pages = Mutex(0)
            let outcome = try await LedgerAudit(pool: shop.pool, page: 3).run { progress in
                let page = pages.withLock { pages in
                    pages += 1
                    return pages
                }
                // Lost: nothing; whatever fails here is missing below.
                _ = try? await shop.attach(Books.pass("late \(page)"), to: users[page % 4])
                if page == 2 { _ = try? await shop.erase(users[0]) }
                if page == 4 { _ = try? await shop.transfer(.all, from: users[1], to: users[2]) }
            }
            #expect(outcome.faults == [])
            #expect(outcome.done.people >= 4 && outcome.done.entries > 32 && outcome.done.percent == 100)
            #expect(try await shop.schema.number("SELECT COUNT(*) FROM purchases WHERE external_id LIKE 'late%'") > 8)
            #expect(try await LedgerAudit(pool: shop.pool).faults() == [])
        }
    }

    @Test func `the audit says how far it is`() async throws {
        try await Shop.open { shop in
            for user in 0..<10 { try await shop.attach(Books.pass("\(user)"), to: Books.user(user)) }
            let told = Mutex<[LedgerAudit.Progress]>([])
            let outcome = try await LedgerAudit(pool: shop.pool, page: 4).run { progress in
                told.withLock { $0.append(progress) }
            }
            let progress = told.withLock { $0 }
            #expect(progress.map(\.entries) == [4, 8, 12, 16, 20, 20] && progress.last == outcome.done)
            #expect(progress.map(\.percent) == progress.map(\.percent).sorted() && progress.last?.percent == 100)
            #expect(outcome.done.people == 10)
            #expect(try await LedgerAudit(pool: shop.pool).run(of: Books.user("nobody")) == nil)
        }
    }
}

extension Shop {
    /// Copies the tables; the answer puts the copies back.
    func keep() async throws -> () async throws -> Void {
        let tables = ["ledger_entries", "apple_iap_transactions", "purchases", "purchase_holders", "users"]
        for table in tables {
            try await schema.rows("CREATE OR REPLACE TABLE kept_\(table) AS SELECT * FROM \(table)")
        }
        return {
            for table in tables {
                try await schema.rows("DELETE FROM \(table)")
                try await schema.rows("INSERT INTO \(table) SELECT * FROM kept_\(table)")
            }
        }
    }
}
