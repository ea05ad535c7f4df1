import Entitlements
import LedgerStore
import MariaDB

extension Store {
    /// The store with the process's clocks and randomness.
    convenience init(
        pool: Pool, catalogue: CatalogueVersionCache, settings: LedgerSettings, clock: WallClock,
        noteBatch: @escaping @Sendable (_ requests: Int) -> Void = { _ in }
    ) {
        self.init(
            pool: pool, catalogue: catalogue, settings: settings, now: clock.now, realNow: WallClock.real.now,
            salt: Surroundings.salt, accountToken: Surroundings.accountToken, apiKey: Surroundings.apiKeySecret,
            attempt: Surroundings.attemptName, noteBatch: noteBatch)
    }
}

extension AuditTrail {
    /// With the process's randomness.
    init() { self.init(salt: Surroundings.salt) }
}

extension APIKeys {
    /// With the real time, for they are a sign-in, and the process's randomness.
    convenience init(pool: Pool) {
        self.init(pool: pool, audit: AuditTrail(), now: Surroundings.now, random: Surroundings.apiKeySecret)
    }
}
