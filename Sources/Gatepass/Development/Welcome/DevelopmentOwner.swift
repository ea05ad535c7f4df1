import Dashboard
import LedgerStore

/// The owner whom a development installation gets, so that its dashboard can be used at once. There is no default
/// password: until one is set, each start prints a new link that sets it.
struct DevelopmentOwner {
    private static let name = "owner"

    let startup: Startup

    /// The lines that say where the dashboard is. Throws when the database is away.
    func lines(at origin: String) async throws -> [String] {
        let address = "Dashboard: \(origin)/dashboard"
        guard let request = StaffRequest(name: Self.name, role: .owner) else { return [address] }
        let token = Surroundings.browserToken()
        let isOpen = try await startup.withPool { pool in
            let staff = Staff(pool: pool)
            guard let owner = try await staff.member(named: Self.name) else {
                return try await staff.create(request, link: token, by: .commandLine, reason: nil) != nil
            }
            guard !owner.hasPassword, owner.disabledAt == nil else { return false }
            return try await staff.reset(Self.name, link: token, by: .commandLine, reason: nil) != nil
        }
        guard isOpen else { return [address + " (sign in as \(Self.name))"] }
        return [address, "Set the password of \(Self.name): \(Dashboard.passwordLink(token, at: origin))"]
    }
}
