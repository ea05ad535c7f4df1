import Entitlements
import Testing

@testable import Gatepass

/// What a production start refuses, and that development does not.
@Suite struct ConfigurationProductionTests {
    private static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    private static let secret = "0123456789abcdef0123456789abcdef"

    /// Variables of a production start and what is said about them.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let variables: [String: String]
        let faults: [String]

        init(_ name: String, _ variables: [String: String], _ faults: String...) {
            testDescription = name
            self.variables = variables
            self.faults = faults
        }
    }

    private static let noAuth =
        "auth: production needs to know how users sign in; "
        + "set one of auth.hs256_secret, auth.public_key_file and auth.jwks_url, or auth.apple_accounts.enabled"

    static let refused = [
        Case(
            "nothing configured", [:], noAuth,
            "tokens.key_encryption_key: production needs tokens.key_encryption_key; "
                + "write the base64 of 32 random bytes: openssl rand -base64 32"),
        Case(
            "empty variables configure nothing",
            ["GATEPASS_AUTH_HS256_SECRET": "", "GATEPASS_AUTH_JWKS_URL": "", "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": ""],
            noAuth,
            "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY: production needs tokens.key_encryption_key; "
                + "write the base64 of 32 random bytes: openssl rand -base64 32"),
        Case(
            "a secret of 31 bytes",
            [
                "GATEPASS_AUTH_HS256_SECRET": "0123456789abcdef0123456789abcde",
                "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key,
            ],
            "GATEPASS_AUTH_HS256_SECRET: auth.hs256_secret is shorter than 32 bytes; "
                + "write a longer one: openssl rand -base64 48"),
        Case(
            "a short previous secret",
            [
                "GATEPASS_AUTH_HS256_SECRET": secret, "GATEPASS_AUTH_HS256_PREVIOUS": "old",
                "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key,
            ],
            "GATEPASS_AUTH_HS256_PREVIOUS: auth.hs256_previous is shorter than 32 bytes; "
                + "write a longer one: openssl rand -base64 48"),
        Case(
            "the development secret",
            [
                "GATEPASS_AUTH_HS256_SECRET": Settings.Auth.developmentSecret,
                "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key,
            ],
            "GATEPASS_AUTH_HS256_SECRET: auth.hs256_secret is the development secret, which everybody knows; "
                + "write a secret of your own: openssl rand -base64 48"),
        Case(
            "a card secret of 15 characters beside one of 16, and a metrics token of 15",
            [
                "GATEPASS_AUTH_HS256_SECRET": secret, "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key,
                "GATEPASS_STRIPE_SIGNING_SECRETS": "whsec_0123456789,whsec_012345678",
                "GATEPASS_HTTP_METRICS_TOKEN": "0123456789abcde",
            ],
            "GATEPASS_STRIPE_SIGNING_SECRETS: stripe.signing_secrets is shorter than 16 characters; "
                + "copy the secret of the webhook endpoint: whsec_…",
            "GATEPASS_HTTP_METRICS_TOKEN: http.metrics_token is shorter than 16 characters; "
                + "write a longer one: openssl rand -hex 24"),
        Case(
            "blanks in place of the metrics token",
            [
                "GATEPASS_AUTH_HS256_SECRET": secret, "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key,
                "GATEPASS_HTTP_METRICS_TOKEN": "   ",
            ],
            "GATEPASS_HTTP_METRICS_TOKEN: http.metrics_token is nothing but blanks; write the secret, or leave it out"),
        Case(
            "a secret of blanks",
            [
                "GATEPASS_AUTH_HS256_SECRET": String(repeating: " \n\t", count: 20),
                "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key,
            ],
            "GATEPASS_AUTH_HS256_SECRET: auth.hs256_secret is nothing but blanks; write the secret, or leave it out"),
        Case(
            "blanks in the place of any other secret",
            [
                "GATEPASS_AUTH_HS256_SECRET": secret, "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key,
                "GATEPASS_DATABASE_PASSWORD": "  ", "GATEPASS_APPLE_SHARED_SECRET": "\t",
            ],
            "GATEPASS_DATABASE_PASSWORD: database.password is nothing but blanks; write the secret, or leave it out",
            "GATEPASS_APPLE_SHARED_SECRET: apple.shared_secret is nothing but blanks; "
                + "write the secret, or leave it out"),
        Case(
            "keys of the login that come unprotected",
            [
                "GATEPASS_AUTH_JWKS_URL": "HTTP://login.example.com/jwks.json",
                "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key,
            ],
            "GATEPASS_AUTH_JWKS_URL: auth.jwks_url is not https, so others could put keys of their own in its place; "
                + "write an https URL"),
        Case(
            "a key encryption key of zeros",
            [
                "GATEPASS_AUTH_HS256_SECRET": secret,
                "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            ],
            "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY: tokens.key_encryption_key is one byte repeated, which is no secret; "
                + "write the output of: openssl rand -base64 32"),
        Case(
            "the key encryption key of development",
            [
                "GATEPASS_AUTH_HS256_SECRET": secret,
                "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": KeyEncryptionKey.development.base64,
            ],
            "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY: tokens.key_encryption_key is the development key, which everybody "
                + "knows; write the output of: openssl rand -base64 32"),
        Case(
            "the key encryption key of development as an earlier one",
            [
                "GATEPASS_AUTH_HS256_SECRET": secret, "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key,
                "GATEPASS_TOKENS_PREVIOUS_KEY_ENCRYPTION_KEYS": KeyEncryptionKey.development.base64,
            ],
            "GATEPASS_TOKENS_PREVIOUS_KEY_ENCRYPTION_KEYS: tokens.previous_key_encryption_keys has the development "
                + "key, which everybody knows; remove it, and start with a database that no development server "
                + "has used"),
        Case(
            "the staff's pages on the port of the API, without an address",
            [
                "GATEPASS_AUTH_HS256_SECRET": secret, "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key,
                "GATEPASS_DASHBOARD_ON_MAIN_PORT": "true",
            ],
            "GATEPASS_DASHBOARD_ON_MAIN_PORT: dashboard.on_main_port puts the staff's pages on the port of the API, "
                + "and dashboard.address does not say where people reach them; write dashboard.address, such as "
                + "https://gatepass.example.com, or leave dashboard.on_main_port out"),
        Case(
            "a broken address is one fault, not two",
            ["GATEPASS_AUTH_JWKS_URL": "nowhere", "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": key],
            "GATEPASS_AUTH_JWKS_URL: auth.jwks_url is \"nowhere\", which is not an http or https URL; "
                + "write an http or https URL"),
    ]

    @Test(arguments: refused)
    func `what is fit for development only is refused in production and named`(_ refused: Case) {
        let error = #expect(throws: SettingsError.self) {
            try LoadedSettings(from: Self.inputs("production", refused.variables))
        }
        #expect(error?.faults.map(\.description) == refused.faults)
    }

    @Test func `development starts with no secret, a short one or the development one`() throws {
        for variables in Self.refused.dropLast().map(\.variables) {
            #expect(throws: Never.self) { try LoadedSettings(from: Self.inputs("development", variables)) }
        }
        let settings = try LoadedSettings(from: SettingsInputs()).settings
        #expect(settings.auth.verification == nil)
        #expect(settings.tokens.keyEncryptionKey == nil)
    }

    @Test(arguments: [
        ["GATEPASS_AUTH_HS256_SECRET": secret], ["GATEPASS_AUTH_PUBLIC_KEY_FILE": "key.pem"],
        ["GATEPASS_AUTH_JWKS_URL": "https://login.example.com/jwks.json"],
    ])
    func `each of the three ways starts production`(_ variables: [String: String]) throws {
        var variables = variables
        variables["GATEPASS_TOKENS_KEY_ENCRYPTION_KEY"] = Self.key
        let settings = try LoadedSettings(from: Self.inputs("production", variables)).settings
        #expect(settings.auth.verification != nil)
        #expect(settings.tokens.keyEncryptionKey?.bytes == Array("0123456789abcdef0123456789abcdef".utf8))
    }

    @Test func `Apple accounts alone start production`() throws {
        var variables = [
            "GATEPASS_AUTH_APPLE_ACCOUNTS_ENABLED": "true", "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Self.key,
        ]
        let auth = try LoadedSettings(from: Self.inputs("production", variables)).settings.auth
        #expect(auth.verification == nil && auth.appleTokenDays == 30)
        variables["GATEPASS_AUTH_APPLE_ACCOUNTS_TOKEN_DAYS"] = "0"
        let error = #expect(throws: SettingsError.self) {
            try LoadedSettings(from: Self.inputs("production", variables))
        }
        #expect(error?.faults.map(\.place) == [.named("GATEPASS_AUTH_APPLE_ACCOUNTS_TOKEN_DAYS")])
    }

    @Test func `a card secret and a metrics token of 16 characters start production`() throws {
        let settings = try LoadedSettings(
            from: Self.inputs(
                "production",
                [
                    "GATEPASS_AUTH_HS256_SECRET": Self.secret, "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Self.key,
                    "GATEPASS_STRIPE_SIGNING_SECRETS": "whsec_0123456789",
                    "GATEPASS_HTTP_METRICS_TOKEN": "0123456789abcdef",
                ])
        ).settings
        #expect(settings.stripe.signingSecrets.count == 1 && settings.http.metricsToken != nil)
    }

    @Test func `the staff's pages are on the port of the API in production with an address, or while they are off`()
        throws
    {
        var variables = [
            "GATEPASS_AUTH_HS256_SECRET": Self.secret, "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Self.key,
            "GATEPASS_DASHBOARD_ON_MAIN_PORT": "true", "GATEPASS_DASHBOARD_ADDRESS": "https://gatepass.example.com",
        ]
        let open = try LoadedSettings(from: Self.inputs("production", variables)).settings.dashboard
        #expect(open.onMainPort && open.origins(port: 8080) == ["https://gatepass.example.com"])
        variables["GATEPASS_DASHBOARD_ADDRESS"] = "http://gatepass.example.com"
        let error = #expect(throws: SettingsError.self) {
            try LoadedSettings(from: Self.inputs("production", variables))
        }
        #expect(error?.faults.map(\.place) == [.named("GATEPASS_DASHBOARD_ADDRESS")], "one fault, not two")
        variables["GATEPASS_DASHBOARD_ADDRESS"] = nil
        variables["GATEPASS_DASHBOARD_ENABLED"] = "false"
        #expect(throws: Never.self) { try LoadedSettings(from: Self.inputs("production", variables)) }
    }

    @Test func `production counts sandbox purchases for testers and changes nothing on start; development does`()
        throws
    {
        let production = try LoadedSettings(
            from: Self.inputs(
                "production",
                ["GATEPASS_AUTH_HS256_SECRET": Self.secret, "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": Self.key])
        ).settings
        #expect(production.sandboxAccess == .testers)
        #expect(production.migrations.onStart == .refuse)
        #expect(production.catalogue.onChange == .refuse)
        let development = try LoadedSettings(from: SettingsInputs()).settings
        #expect(development.sandboxAccess == .everyone)
        #expect(development.migrations.onStart == .apply)
        #expect(development.catalogue.onChange == .apply)
    }

    private static func inputs(_ environment: String, _ variables: [String: String]) -> SettingsInputs {
        SettingsInputs(environment: variables.merging(["GATEPASS_ENVIRONMENT": environment]) { first, _ in first })
    }
}
