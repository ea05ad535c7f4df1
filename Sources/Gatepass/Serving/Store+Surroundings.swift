import EntitlementAPI
import Entitlements
import LedgerStore
import MariaDB

extension Store {
    /// Makes a store that uses the process's clocks and randomness.
    convenience init(
        pool: Pool, catalogue: CatalogueVersionCache, settings: LedgerSettings, clock: WallClock,
        noteBatch: @escaping @Sendable (_ requests: Int) -> Void = { _ in },
        noteUnreadable: @escaping @Sendable (_ pseudonym: UInt64) -> Void = { _ in }
    ) {
        self.init(
            pool: pool, catalogue: catalogue, settings: settings, format: StatusBody.format, now: clock.now,
            realNow: WallClock.real.now,
            salt: Surroundings.salt, accountToken: Surroundings.accountToken, apiKey: Surroundings.apiKeySecret,
            attempt: Surroundings.attemptName, noteBatch: noteBatch, noteUnreadable: noteUnreadable)
    }
}

extension AuditTrail {
    /// Makes an audit trail that uses the process's randomness.
    init() { self.init(salt: Surroundings.salt) }
}

extension APIKeys {
    /// Makes the store of API keys with the process's randomness. It uses the real time, because API keys are a way to
    /// sign in.
    convenience init(pool: Pool) {
        self.init(pool: pool, audit: AuditTrail(), now: Surroundings.now, random: Surroundings.apiKeySecret)
    }
}

extension Staff {
    /// Makes the store of staff for commands and upkeep, where nobody signs in. It uses the real time.
    init(pool: Pool) {
        self.init(pool: pool, audit: AuditTrail(), labels: nil, now: Surroundings.now)
    }
}
