import EntitlementAPI
import LedgerStore
import MariaDB

extension SigningKeys {
    /// The keys in the database that `pool` leads to, as the settings want them.
    init(_ settings: Settings.Tokens, pool: Pool, clock: WallClock) {
        self.init(
            store: SigningKeyStore(pool: pool), seal: settings.seal,
            tokenHours: settings.offlineTokenHours, now: clock.now, newKey: Surroundings.signingKey)
    }
}
