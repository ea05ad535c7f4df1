import Testing

@testable import Gatepass

/// What settings refuse: the line, the words and the remedy.
@Suite struct ConfigurationRefusalTests {
    /// A text of `gatepass.yaml` and everything that is said about it.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let yaml: String
        let faults: [String]

        init(_ name: String, _ yaml: String, _ faults: String...) {
            testDescription = name
            self.yaml = yaml
            self.faults = faults
        }
    }

    private static let originForm =
        "write scheme, host and port as browsers do, such as https://shop.example.com or http://localhost:5173"

    static let refused = [
        Case(
            "a misspelt key names the nearest one", "http:\n  host: 0.0.0.0\n  prot: 80",
            "gatepass.yaml:3: unknown key http.prot; write http.port instead"),
        Case(
            "a key like no other is to be removed", "http: {certificate_transparency_logs: 1}",
            "gatepass.yaml:1: unknown key http.certificate_transparency_logs; "
                + "remove it; config/gatepass.yaml lists every key"),
        Case(
            "a misspelt section names the nearest one", "htpp:\n  port: 80",
            "gatepass.yaml:2: unknown key htpp.port; write http.port instead"),
        Case(
            "an empty unknown section is unknown too", "databse:\n",
            "gatepass.yaml:1: unknown key databse; write database instead"),
        Case(
            "a key that stands twice", "http:\n  port: 80\n  host: a\n  port: 81",
            "gatepass.yaml:2: the key 'port' stands more than once in one mapping; keep one of them"),
        Case(
            "a text for a number", "http:\n  port: \"8080\"",
            "gatepass.yaml:2: http.port is not a whole number; write a number without quotes"),
        Case(
            "a fraction for a number", "plans: {renewal_leeway_hours: 1.5}",
            "gatepass.yaml:1: plans.renewal_leeway_hours is not a whole number; write a number without quotes"),
        Case(
            "a number for a text", "database:\n\n  password: 1234",
            "gatepass.yaml:3: database.password is not a text; write a text in quotes"),
        Case(
            "a word for a truth value", "credits: {user_spend: yes}",
            "gatepass.yaml:1: credits.user_spend is not true or false; write true or false"),
        Case(
            "a text for a list", "stripe: {signing_secrets: whsec_1}",
            "gatepass.yaml:1: stripe.signing_secrets is not a list of texts; write [\"…\", \"…\"]"),
        Case(
            "a list for a text", "auth: {issuer: [a]}",
            "gatepass.yaml:1: auth.issuer is not a text; write a text in quotes"),
        Case(
            "a number in a list of texts", "auth:\n  hs256_secret: secret\n  hs256_previous:\n    - old\n    - 12345",
            "gatepass.yaml:5: auth.hs256_previous is a list of texts, and this item is a number; put it in quotes"),
        Case(
            "a section where a value belongs", "sandbox_access: {production: testers}",
            "gatepass.yaml:1: unknown key sandbox_access.production: sandbox_access is a value, not a section; "
                + "write sandbox_access with one value"),
        Case(
            "a value where a section belongs", "environment: development\ndatabase: mysql://localhost",
            "gatepass.yaml:2: database is a section, not a value; write its keys below it, such as database.host"),
        Case(
            "a key without a value", "auth:\n  issuer:\n",
            "gatepass.yaml:2: auth.issuer has no value; write a value, or leave the key out"),
        Case(
            "a dotted key", "http.port: 80",
            "gatepass.yaml:1: 'http.port' is not a key; write sections as mappings: http: {port: 8080}"),
        Case(
            "a list as the whole file", "- http",
            "gatepass.yaml:1: the file must hold sections of settings, not a list; "
                + "write http: {port: 8080}, for example"),
        Case(
            "a port out of range", "http: {port: 65536}",
            "gatepass.yaml:1: http.port is 65536, which is out of range; write a number from 0 to 65535"),
        Case(
            "a database port of 0", "database: {port: 0}",
            "gatepass.yaml:1: database.port is 0, which is out of range; write a number from 1 to 65535"),
        Case(
            "a negative number of days", "retention: {inbox_days: -1}",
            "gatepass.yaml:1: retention.inbox_days is -1, which is out of range; write a number from 0 to 36500"),
        Case(
            "a misspelt word of a closed set", "sandbox_access: tester",
            "gatepass.yaml:1: sandbox_access is \"tester\", which is none of nobody, testers, everyone; write testers"),
        Case(
            "a word far from its closed set", "ownership: {unclaimed: whoever}",
            "gatepass.yaml:1: ownership.unclaimed is \"whoever\", which is none of any, fresh_24h, proof; "
                + "write any or fresh_24h or proof"),
        Case(
            "a proxy that is no address", "http: {trusted_proxies: [\"10.0.0.0/33\", localhost, \"::1\"]}",
            "gatepass.yaml:1: http.trusted_proxies has \"10.0.0.0/33\", which is not an IP address or a block such as "
                + "10.0.0.0/8; write an IP address or a block such as 10.0.0.0/8",
            "gatepass.yaml:1: http.trusted_proxies has \"localhost\", which is not an IP address or a block such as "
                + "10.0.0.0/8; write an IP address or a block such as 10.0.0.0/8"),
        Case(
            "a pattern, and whatever else is no origin", "http: {allowed_origins: [\"*\", \"null\", shop.example.com]}",
            "gatepass.yaml:1: http.allowed_origins has \"*\", which is not the origin of a web page; " + originForm,
            "gatepass.yaml:1: http.allowed_origins has \"null\", which is not the origin of a web page; " + originForm,
            "gatepass.yaml:1: http.allowed_origins has \"shop.example.com\", which is not the origin of a web page; "
                + originForm),
        Case(
            "an origin as no browser writes it", "http:\n  allowed_origins: [\"https://Shop.example.com:443/\"]",
            "gatepass.yaml:2: http.allowed_origins has \"https://Shop.example.com:443/\", and browsers write that "
                + "origin otherwise; write https://shop.example.com"),
        Case(
            "an address of the dashboard with a path",
            "dashboard: {address: \"https://gatepass.example.com/dashboard\"}",
            "gatepass.yaml:1: dashboard.address is not the origin of a web page; "
                + "write it such as https://gatepass.example.com"),
        Case(
            "an address of the dashboard that others can read",
            "dashboard: {address: \"http://gatepass.example.com\"}",
            "gatepass.yaml:1: dashboard.address is not https, so others could read passwords; "
                + "write an https URL, or one of localhost"),
        Case(
            "an address of the dashboard that is none", "dashboard: {address: gatepass.example.com}",
            "gatepass.yaml:1: dashboard.address is \"gatepass.example.com\", which is not an http or https URL; "
                + "write an http or https URL"),
        Case(
            "a dashboard that listens nowhere", "dashboard:\n  host: \"\"\n  port: 65536",
            "gatepass.yaml:2: dashboard.host is empty; write the address to listen on, such as 127.0.0.1",
            "gatepass.yaml:3: dashboard.port is 65536, which is out of range; write a number from 0 to 65535"),
        Case(
            "sessions of the dashboard without bounds", "dashboard:\n  idle_minutes: 0\n  session_hours: 0",
            "gatepass.yaml:2: dashboard.idle_minutes is 0, which is out of range; write a number from 1 to 10080",
            "gatepass.yaml:3: dashboard.session_hours is 0, which is out of range; write a number from 1 to 8760"),
        Case(
            "a key set address that is no URL", "auth: {jwks_url: example.com/jwks}",
            "gatepass.yaml:1: auth.jwks_url is \"example.com/jwks\", which is not an http or https URL; "
                + "write an http or https URL"),
        Case(
            "a key set address with a password", "auth: {jwks_url: \"https://me:hunter2@example.com/jwks\"}",
            "gatepass.yaml:1: auth.jwks_url is \"https://example.com/jwks\", which is not an http or https URL without "
                + "a user; write an http or https URL without a user"),
        Case(
            "an API key that goes over the network unprotected", "stripe: {api_base_url: \"http://api.example.com\"}",
            "gatepass.yaml:1: stripe.api_base_url is not https, so others could read the key; "
                + "write an https URL, or leave it out"),
        Case(
            "a page for users without https", "stripe: {manage_url: \"http://pay.example.com\"}",
            "gatepass.yaml:1: stripe.manage_url is not https, so others could read what a user does there; "
                + "write an https URL, or leave it out"),
        Case(
            "an API key that no header can hold", "stripe: {api_key: \"rk_1\\nrk_2\"}",
            "gatepass.yaml:1: stripe.api_key is no API key; write one such as rk_live_…, and no more"),
        Case(
            "two ways of verifying", "auth:\n  hs256_secret: secret\n  public_key_file: key.pem",
            "gatepass.yaml:3: auth.public_key_file is set beside auth.hs256_secret; "
                + "set exactly one of auth.hs256_secret, auth.public_key_file and auth.jwks_url"),
        Case(
            "a previous secret without a present one", "auth: {hs256_previous: [old]}",
            "gatepass.yaml:1: auth.hs256_previous is set without auth.hs256_secret; "
                + "write the present secret in auth.hs256_secret"),
        Case(
            "a key encryption key of the wrong length", "tokens: {key_encryption_key: c2hvcnQ=}",
            "gatepass.yaml:1: tokens.key_encryption_key is not the base64 of 32 bytes; "
                + "write the output of: openssl rand -base64 32"),
        Case(
            "half of the App Store credentials", "apple:\n  issuer_id: a\n  key_id: b",
            "apple.private_key_file: apple.private_key_file is missing, and the App Store credentials are set only in "
                + "part; set apple.issuer_id, apple.key_id, apple.private_key_file, or none of them"),
        Case(
            "no trust root", "apple: {trust_roots: []}",
            "gatepass.yaml:1: apple.trust_roots names no certificate; "
                + "write [config/certificates/AppleRootCA-G3.cer]"),
        Case(
            "no host", "database: {host: []}",
            "gatepass.yaml:1: database.host names no host; write a host name, or a list of them"),
        Case(
            "a time-out within which a lock may be waited for", "database: {read_seconds: 3}",
            "gatepass.yaml:1: database.read_seconds is 3, which is out of range; write a number from 4 to 300"),
        Case(
            "a port that is none", "database: {host: [\"db1:3306\", \"db2:0\"]}",
            "gatepass.yaml:1: database.host has a port that is none; write host:port, such as db1:3306"),
        Case(
            "the metrics port on the main port", "http: {port: 80, metrics_port: 80}",
            "gatepass.yaml:1: http.metrics_port is also http.port; "
                + "write another port, or 0 for none"),
        Case(
            "every fault is listed, by line", "http:\n  port: x\n  hots: y\nretention:\n  inbox_days: 99999",
            "gatepass.yaml:2: http.port is not a whole number; write a number without quotes",
            "gatepass.yaml:3: unknown key http.hots; write http.host instead",
            "gatepass.yaml:5: retention.inbox_days is 99999, which is out of range; write a number from 0 to 36500"),
    ]

    @Test(arguments: refused)
    func `a mistake is refused with its line and a remedy`(_ refused: Case) {
        let error = #expect(throws: SettingsError.self) {
            try LoadedSettings(
                from: SettingsInputs(file: SettingsInputs.File(name: "gatepass.yaml", text: refused.yaml)))
        }
        #expect(error?.faults.map(\.description) == refused.faults)
    }

    @Test func `a text that is no YAML is refused at its line`() throws {
        let error = try #require(
            throws: SettingsError.self,
            performing: {
                try LoadedSettings(
                    from: SettingsInputs(file: .init(name: "gatepass.yaml", text: "http:\n  host: [a\nauth: {}\n")))
            })
        #expect(error.faults.count == 1)
        #expect(error.description.hasPrefix("gatepass.yaml:3: this is not well-formed YAML"))
    }

    @Test func `a fault never shows the text of a secret`() throws {
        let secret = "hunter2-hunter2"
        let yaml = """
            environment: production
            database: {password: \(secret)}
            auth: {hs256_secret: \(secret), hs256_previous: [\(secret)]}
            tokens: {key_encryption_key: \(secret)}
            stripe: {signing_secrets: [\(secret)], api_key: \(secret)}
            apple: {api_base_url: "https://me:\(secret)@example.com"}
            """
        let error = try #require(throws: SettingsError.self) {
            try LoadedSettings(from: SettingsInputs(file: .init(name: "gatepass.yaml", text: yaml)))
        }
        #expect(error.faults.count == 5)
        #expect(!error.description.contains(secret))
        #expect(!ConfigCheckCommand.table(error.effective).contains(secret))
        #expect(!"\(error)".contains(secret))
    }
}
