import Entitlements
import LedgerStore
import MariaDB
import Support

extension TestStore {
    private static let coins = Purse(unit: "coin", environment: .production)

    /// Spends so many coins. Throws when the database is away.
    @discardableResult
    func spend(
        _ amount: Int, of user: UserID, under key: String, via instance: Int = 0
    ) async throws -> Result<SpendReceipt, DrawRefusal> {
        guard let amount = CreditAmount(amount) else { throw Sample.UnknownText() }
        return try await instances[instance].ledger.record(for: [user]) { history, context in
            DrawCredits(
                amount, from: Self.coins, of: user,
                idempotencyKey: Sample.labels.label(.idempotencyKey, user.text, key),
                request: Sample.labels.label(.request, "spend", "\(amount.units)")
            ).spend(given: history, in: context.catalogue, under: Sample.settings)
        }.answer
    }

    /// Reserves so many coins for an hour. Throws when the database is away.
    @discardableResult
    func reserve(
        _ amount: Int, of user: UserID, under key: String, as id: String
    ) async throws -> Result<Reservation, DrawRefusal> {
        guard let amount = CreditAmount(amount), let hour = ReservationTime(seconds: 3_600) else {
            throw Sample.UnknownText()
        }
        return try await ledger.record(for: [user]) { history, context in
            DrawCredits(
                amount, from: Self.coins, of: user,
                idempotencyKey: Sample.labels.label(.idempotencyKey, user.text, key),
                request: Sample.labels.label(.request, "reserve", "\(amount.units)")
            ).reserve(for: hour, as: ReservationID(id), given: history, in: context.catalogue, under: Sample.settings)
        }.answer
    }

    /// What `user` can spend and what they owe, as the tables have it. Throws when the database is away.
    func coins(of user: UserID) async throws -> [Int] {
        let timeline = Timeline(
            folding: try await ledger(of: user), given: instances[0].versionCache.snapshot, settings: Sample.settings)
        let state = timeline.facts(of: Self.coins).state(at: clock.now)
        return [state.spendable, state.debt]
    }
}
