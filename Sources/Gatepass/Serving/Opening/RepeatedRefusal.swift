/// The refusals that a server meets while it starts. A wrong password or a missing database does not pass by itself, so
/// a start ends once it met the same refusal for a while. A database that is away is waited for.
struct RepeatedRefusal {
    /// The time for which a refusal is met before a start ends.
    static let longest = Duration.seconds(30)

    /// The numbers of refusals: no rights in the database, a wrong password, no such database, a user of another
    /// machine, no MariaDB, no password.
    private static let codes: Set<Int> = [1044, 1045, 1049, 1130, 1193, 1698]

    private var first: (code: Int, at: Duration)?

    /// Notes the number of a failure. True if it is a refusal, and the only failure for as long as a start waits.
    mutating func lasts(_ code: Int, at now: Duration) -> Bool {
        guard Self.codes.contains(code) else {
            first = nil
            return false
        }
        if let first, first.code == code { return now - first.at >= Self.longest }
        first = (code, now)
        return false
    }
}
