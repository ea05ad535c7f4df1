import EntitlementAPI
import LedgerStore
import MariaDB

extension SigningKeys {
    /// The signing keys in the database of `pool`, with the times and the seal that the settings name.
    init(_ settings: Settings, pool: Pool, clock: WallClock) {
        let tokenHours = settings.tokens.offlineTokenHours
        self.init(
            store: SigningKeyStore(pool: pool), seal: settings.tokens.seal, tokenHours: tokenHours,
            longestHours: max(tokenHours, (settings.auth.appleTokenDays ?? 0) * 24), now: clock.now,
            newKey: Surroundings.signingKey)
    }
}
