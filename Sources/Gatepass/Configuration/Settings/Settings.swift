import Entitlements

/// Every setting of the server, parsed once; one nested type a section of `config/gatepass.yaml`, in its order.
///
/// A value exists only when all of it is right: what could not be read is a `SettingsError`.
struct Settings: Hashable, Sendable {
    /// The purpose of the server; it decides defaults and what a start refuses.
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
    let migrations: Migrations
    let catalogue: Catalogue

    /// The part that answers depend on.
    var entitlements: EntitlementSettings {
        EntitlementSettings(
            sandboxAccess: sandboxAccess, renewalLeewayHours: plans.renewalLeewayHours,
            seatGraceHours: devices.seatGraceHours)
    }

    /// Reads every key, so that each one is known and every fault is found in one go.
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
        migrations = Migrations(&reader, environment)
        catalogue = Catalogue(&reader, environment)
    }
}

extension Settings {
    /// Upper bounds of durations: a larger number is a slip of the unit.
    static let longestDays = 36_500
    static let longestHours = 8_760
}
