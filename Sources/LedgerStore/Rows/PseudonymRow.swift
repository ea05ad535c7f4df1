import Entitlements
import MariaDB

/// Who stands under a pseudonym, as the audit trail names the other party of an act.
enum PseudonymRow {
    private static let byPseudonym = Statement("find pseudonym", "SELECT user_id FROM users WHERE pseudonym = ?")

    /// The person whom `name`, `#` and the pseudonym, means; nil for what means nobody.
    static func person(_ name: String, in session: Session) throws(DatabaseError) -> Found? {
        guard let pseudonym = UInt64(name.dropFirst()), UserID.erased(pseudonym: pseudonym).text == name,
            let row = try session.query(byPseudonym, [.uint64(pseudonym)]).first
        else { return nil }
        return .user(try row.optionalText(0).flatMap { UserID($0) })
    }
}
