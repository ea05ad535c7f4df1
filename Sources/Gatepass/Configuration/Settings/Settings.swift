import Entitlements

/// All settings of the server. Each nested type is a section of `config/gatepass.yaml`, in the same order.
///
/// A value of this type exists only if all settings are right; otherwise there is a `SettingsError`.
struct Settings: Hashable, Sendable {
    /// The purpose of the server. It decides some defaults, and which settings are refused.
    enum Environment: String, Hashable, Sendable, CaseIterable {
        case development
        case production
    }

    let environment: Environment
    let http: HTTP
    let database: Database
    let auth: Auth
    let apple: Apple
    let stripe: Stripe
    let sandboxAccess: EntitlementSettings.SandboxAccess
    let ownership: Ownership
    let accountTokens: AccountTokens
    let credits: Credits
    let devices: Devices
    let plans: Plans
    let tokens: Tokens
    let rateLimits: RateLimits
    let retention: Retention
    let log: Log
    let migrations: Migrations
    let catalogue: Catalogue
    let dashboard: Dashboard

    /// The settings on which answers depend.
    var entitlements: EntitlementSettings {
        EntitlementSettings(
            sandboxAccess: sandboxAccess, renewalLeewayHours: plans.renewalLeewayHours,
            seatGraceHours: devices.seatGraceHours)
    }

    /// Reads all keys, so that each becomes known and all faults are found at once.
    init(_ reader: inout SettingsReader) {
        let environment = reader.choice("environment", default: Environment.development)
        self.environment = environment
        http = HTTP(&reader)
        database = Database(&reader)
        auth = Auth(&reader)
        apple = Apple(&reader)
        stripe = Stripe(&reader)
        sandboxAccess = reader.choice("sandbox_access", default: environment == .development ? .everyone : .testers)
        ownership = Ownership(&reader)
        accountTokens = AccountTokens(&reader)
        credits = Credits(&reader)
        devices = Devices(&reader)
        plans = Plans(&reader)
        tokens = Tokens(&reader)
        rateLimits = RateLimits(&reader)
        retention = Retention(&reader)
        log = Log(&reader)
        migrations = Migrations(&reader, environment)
        catalogue = Catalogue(&reader, environment)
        dashboard = Dashboard(&reader, environment)
    }
}

extension Settings {
    /// The largest number of days in a setting. A larger number is most likely in the wrong unit.
    static let longestDays = 36_500
    static let longestHours = 8_760
}
