import EntitlementAPI
import LedgerStore
import MariaDB

extension SigningKeys {
    /// The signing keys in the database of `pool`, with the times and the seal that the settings name.
    init(_ settings: Settings.Tokens, pool: Pool, clock: WallClock) {
        self.init(
            store: SigningKeyStore(pool: pool), seal: settings.seal,
            tokenHours: settings.offlineTokenHours, now: clock.now, newKey: Surroundings.signingKey)
    }
}
