import Entitlements
import LedgerStore
import MariaDB

extension LedgerSettings {
    /// Makes the ledger's settings, with the labels made by the pseudonym key in this database.
    ///
    /// Throws `InstallationKeys.Fault` if the pseudonym key cannot be opened, or an error if the database cannot be
    /// reached.
    init(_ settings: Settings, from pool: Pool, clock: WallClock) async throws {
        let keys = InstallationKeys(
            pool: pool, seal: settings.tokens.seal, now: clock.now, random: Surroundings.randomBytes)
        self.init(entitlements: settings.entitlements, labels: try await keys.pseudonymKey().get().labels)
    }
}
