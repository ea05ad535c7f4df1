import Entitlements
import MariaDB
import Support
import Testing

@testable import LedgerStore

/// What the tests of erasures ask of the tables afterwards.
extension Shop {
    /// Erases somebody and gives what is left of them. Throws when they are not there, or the database is away.
    @discardableResult
    func erase(_ user: UserID, via instance: Int = 0) async throws -> UserID {
        let erased = try await Desk(self, instance: instance).erasure(at: clock.now)
            .erase(user, by: .commandLine, reason: "asked")
        return try #require(erased)
    }

    /// Every row of every table. Throws when the database is away.
    func dumps() async throws -> [String: [[Value]]] {
        var dumps: [String: [[Value]]] = [:]
        for table in TestSchema.tables { dumps[table] = try await schema.dump(table) }
        return dumps
    }

    /// Every cell of every table but `tables`, bytes as text and as digits. Throws when the database is away.
    func everything(but tables: Set<String> = []) async throws -> String {
        var text = ""
        for (table, rows) in try await dumps().sorted(by: { $0.key < $1.key }) where !tables.contains(table) {
            text += "\n\(table):"
            for cell in rows.lazy.flatMap(\.self) {
                if case .bytes(let bytes) = cell {
                    text += " \(Hexadecimal.text(bytes)) \(String(decoding: bytes, as: UTF8.self))"
                } else {
                    text += " \(cell)"
                }
            }
        }
        return text
    }

    /// Finds none of `traces` in any table. Throws when the database is away.
    func expectNothing(of traces: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let text = try await everything()
        for trace in traces { #expect(!text.contains(trace), "\(trace)", sourceLocation: sourceLocation) }
    }

    /// Chains, states, trail and projections are whole. Throws when the database is away.
    func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let audit = try await BooksAudit(of: pool) { _ in }
        #expect(audit.namedFaults == [], sourceLocation: sourceLocation)
        for table in ["subscriptions", "open_debts"] {
            let projection = try await schema.dump(table)
            try await Projection(pool: pool, settings: Books.settings).rebuild(given: instances[0].shelf.snapshot)
            let rebuilt = try await schema.dump(table)
            #expect(rebuilt == projection, "\(table)", sourceLocation: sourceLocation)
        }
    }

    /// What `user` has, as the tables have it. Throws when the database is away.
    func status(of user: UserID) async throws -> Status {
        Timeline(folding: try await ledger(of: user), given: instances[0].shelf.snapshot, settings: Books.settings)
            .status(at: clock.now)
    }

    /// What stands in `open_debts`: units by account and purse's owner. Throws when the database is away.
    func openDebts() async throws -> [String] {
        try await schema.rows(
            "SELECT CONCAT_WS(' ', account, app, environment, unit, units, user_id) FROM open_debts ORDER BY 1"
        ).map { row in if case .text(let text) = row[0] { text } else { "" } }
    }
}

/// What somebody has who is erased in a test.
enum Belongings {
    static let account = "70001"

    /// A pass, its restored copy, coins, an add-on and a plan of two periods.
    static let sales: [VerifiedPurchase] = [
        Books.pass("20001", day: 30, account: account),
        Books.pass("20001", day: 30, transaction: "20002", account: account),
        Books.sale("20003", of: "coins.100", .consumable, day: 31, account: account),
        Books.sale("20004", of: "vault", .addOn, day: 32, account: account),
        Books.sale("20005", of: "plan.month", .plan, day: 2, period: "40001", account: account),
        Books.sale("20005", of: "plan.month", .plan, day: 32, transaction: "20006", period: "40002", account: account),
    ]

    static let refundOfPass = Books.pass("20001", day: 30, account: account, signedDay: 41, revokedDay: 41)

    static let refundOfCoins = Books.sale(
        "20003", of: "coins.100", .consumable, day: 31, account: account, signedDay: 39, revokedDay: 39)

    static let reversalOfCoins = Books.sale(
        "20003", of: "coins.100", .consumable, day: 31, account: account, signedDay: 40)

    /// A pass that was never attached, of the same Apple account unless another is named.
    static func another(_ number: String, of account: String? = account) -> VerifiedPurchase {
        Books.pass(number, day: 33, account: account)
    }

    /// The user has all of it, and spends, reserves and is given something.
    static func fill(_ shop: Shop, _ user: UserID) async throws {
        let verdicts = try await shop.restore(sales, to: user)
        #expect(verdicts.count == sales.count)
        try await shop.grant(.addDays(9, of: TierID("pro")), as: "30001", to: user)
        _ = try await shop.spend(30, of: user, under: "order-1").get()
        _ = try await shop.reserve(10, of: user, under: "order-2", as: "hold-1").get()
    }
}
