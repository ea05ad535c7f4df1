import Entitlements
import LedgerStore
import MariaDB

extension LedgerSettings {
    /// The settings of recording, with the labels of the installation in the database that `pool` leads to.
    ///
    /// Throws `InstallationKeys.Fault` when the pseudonym key cannot be opened, and when the database is away.
    init(_ settings: Settings, from pool: Pool, clock: WallClock) async throws {
        let keys = InstallationKeys(
            pool: pool, seal: settings.tokens.seal, now: clock.now, random: Surroundings.randomBytes)
        self.init(entitlements: settings.entitlements, labels: try await keys.pseudonymKey().get().labels)
    }
}
