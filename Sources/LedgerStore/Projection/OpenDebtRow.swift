import Entitlements
import MariaDB

/// A row of `open_debts`: what an erased person owes in one purse, by the Apple account that bought it (`semantics.md`
/// §5).
enum OpenDebtRow {
    private static let clear = SQLStatement("clear open debts", "DELETE FROM open_debts WHERE user_id = ?")

    private static let insert = SQLStatement(
        "insert open debt",
        "INSERT INTO open_debts (account, app, environment, unit, user_id, units) VALUES (?, ?, ?, ?, ?, ?)")

    /// Writes what an erased person owes by `timeline`, in the place of what they owed before; what others owe is
    /// theirs alone.
    static func write(
        _ timeline: Timeline, of user: UserID, under pseudonym: UInt64, in session: Session
    ) throws(DatabaseError) {
        guard user.isErased else { return }
        let debts = timeline.debtsToPassOn
        try session.execute(clear, [.uint64(pseudonym)])
        try session.executeBulk(
            insert,
            debts.map { debt in
                [
                    .text(debt.account.text), .text(debt.app.text), .text(debt.environment.rawValue), .text(debt.unit),
                    .uint64(pseudonym), Value(debt.units),
                ]
            })
    }
}
