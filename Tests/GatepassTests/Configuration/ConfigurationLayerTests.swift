import Entitlements
import Logging
import Testing

@testable import Gatepass

/// Which source wins, and that each value knows where it came from.
@Suite struct ConfigurationLayerTests {
    /// All five inputs name the issuer; each test takes away the strongest.
    private static let all = SettingsInputs(
        commandLine: ["auth.issuer": "from the command line"],
        environment: ["GATEPASS_AUTH_ISSUER": "from the environment", "HOME": "/root", "GATEPASS_TEST_SOCKET": "x"],
        credentials: ["auth.issuer": "from a credential\n", "tls.key": "not ours"],
        file: .init(name: "config/gatepass.yaml", text: "# settings\nauth:\n  issuer: from the file\n"))

    @Test func `the strongest source that names a key wins, and is its origin`() throws {
        var inputs = Self.all
        try expectIssuer("from the command line", .commandLine, in: inputs)
        inputs.commandLine = [:]
        try expectIssuer("from the environment", .environment("GATEPASS_AUTH_ISSUER"), in: inputs)
        inputs.environment = [:]
        try expectIssuer("from a credential", .credential("auth.issuer"), in: inputs)
        inputs.credentials = [:]
        try expectIssuer("from the file", .file("config/gatepass.yaml", line: 3), in: inputs)
        inputs.file = nil
        try expectIssuer(nil, .builtIn, in: inputs)
    }

    @Test func `variables are read as the type of their key`() throws {
        let settings = try load([
            "GATEPASS_HTTP_PORT": "9000", "GATEPASS_APPLE_OCSP": "true",
            "GATEPASS_HTTP_TRUSTED_PROXIES": "10.0.0.0/8, ::1", "GATEPASS_DATABASE_HOST": "a,b",
            "GATEPASS_DATABASE_SOCKET": "/run/mysqld/mysqld.sock", "GATEPASS_OWNERSHIP_UNCLAIMED": "fresh_24h",
            "GATEPASS_APPLE_SANDBOX_API_BASE_URL": "http://127.0.0.1:9/sandbox",
        ]).settings
        #expect(settings.http.port == 9000)
        #expect(settings.apple.ocsp)
        #expect(settings.http.trustedProxies.map(\.text) == ["10.0.0.0/8", "::1"])
        #expect(settings.database.hosts.map(\.host) == ["a", "b"])
        #expect(settings.database.socket == "/run/mysqld/mysqld.sock")
        #expect(settings.ownership.unclaimed == .fresh24h)
        #expect(settings.apple.sandboxAPIBaseURL?.text == "http://127.0.0.1:9/sandbox")
    }

    @Test func `a secret may stand in a file that a variable names, a list one item a line`() throws {
        let files = ["/run/secret": "s3cret with, comma\n", "/run/list": "one\r\ntwo,three\n"]
        let inputs = SettingsInputs(
            environment: [
                "GATEPASS_DATABASE_PASSWORD_FILE": "/run/secret", "GATEPASS_STRIPE_SIGNING_SECRETS_FILE": "/run/list",
            ],
            readFile: { path in
                guard let text = files[path] else { throw SettingsInputs.NoFiles() }
                return text
            })
        let loaded = try LoadedSettings(from: inputs)
        #expect(loaded.settings.database.password?.text == "s3cret with, comma")
        #expect(loaded.settings.stripe.signingSecrets.map(\.text) == ["one", "two,three"])
        #expect(
            loaded.effective.contains(
                EffectiveSetting(
                    key: "database.password", shown: "(set)", origin: .environment("GATEPASS_DATABASE_PASSWORD_FILE"))))
    }

    @Test(arguments: [
        (
            ["GATEPASS_HTTP_PROT": "1"],
            "GATEPASS_HTTP_PROT: unknown variable GATEPASS_HTTP_PROT; write GATEPASS_HTTP_PORT instead"
        ),
        (
            ["GATEPASS_HTTP_PORT_FILE": "/p"],
            "GATEPASS_HTTP_PORT_FILE: unknown variable GATEPASS_HTTP_PORT_FILE; write GATEPASS_HTTP_PORT instead"
        ),
        (
            ["GATEPASS_COLOUR_OF_THE_BIKE_SHED": "red"],
            "GATEPASS_COLOUR_OF_THE_BIKE_SHED: unknown variable GATEPASS_COLOUR_OF_THE_BIKE_SHED; "
                + "unset it; config/gatepass.yaml lists every key"
        ),
        (
            ["GATEPASS_HTTP_PORT": "http"],
            "GATEPASS_HTTP_PORT: http.port is not a whole number; write a whole number"
        ),
        (
            ["GATEPASS_HTTP_PORT": ""],
            "GATEPASS_HTTP_PORT: http.port is not a whole number; write a whole number"
        ),
        (
            ["GATEPASS_DATABASE_PASSWORD_FILE": "/gone"],
            "GATEPASS_DATABASE_PASSWORD_FILE: the file /gone that GATEPASS_DATABASE_PASSWORD_FILE names cannot be "
                + "read; name a file that the server may read"
        ),
        (
            ["GATEPASS_DATABASE_PASSWORD_FILE": "/p", "GATEPASS_DATABASE_PASSWORD": "p"],
            "GATEPASS_DATABASE_PASSWORD_FILE: GATEPASS_DATABASE_PASSWORD_FILE is set beside "
                + "GATEPASS_DATABASE_PASSWORD; set one of them"
        ),
    ])
    func `a variable that cannot be read is refused`(_ variables: [String: String], _ fault: String) {
        let error = #expect(throws: SettingsError.self) { try load(variables) }
        #expect(error?.description == fault)
    }

    @Test func `a credential that begins like a key and is none is refused`() {
        let error = #expect(throws: SettingsError.self) {
            try LoadedSettings(from: SettingsInputs(credentials: ["auth.hs256_secrt": "x", "tls.key": "not ours"]))
        }
        #expect(
            error?.description
                == "credentials directory: unknown key auth.hs256_secrt; write auth.hs256_secret instead")
    }

    @Test func `a secret of both the environment and the credentials directory names both places`() throws {
        let key = "auth.hs256_secret"
        for name in ["GATEPASS_AUTH_HS256_SECRET", "GATEPASS_AUTH_HS256_SECRET_FILE"] {
            var inputs = SettingsInputs(environment: [name: "x"], credentials: [key: "x"], readFile: { _ in "x" })
            let error = #expect(throws: SettingsError.self) { try LoadedSettings(from: inputs) }
            #expect(
                error?.description
                    == "\(name): \(name) is set beside the credential \(key); give the secret in one place")
            inputs.credentials = ["database.password": "y"]
            _ = try LoadedSettings(from: inputs)
        }
        // A settings file is written for many servers, and what is no secret has an order of its sources.
        let file = SettingsInputs.File(name: "f", text: "auth: {hs256_secret: z}")
        let credential = try LoadedSettings(from: SettingsInputs(credentials: [key: "x"], file: file))
        #expect(credential.effective.first { $0.key == key }?.origin == .credential(key))
    }

    @Test func `the level and the form of log lines are settings, and without one the form is open`() throws {
        #expect(try load([:]).settings.log.form == nil)
        #expect(try load([:]).settings.log.level == .info)
        let set = try load(["GATEPASS_LOG_FORMAT": "json", "GATEPASS_LOG_LEVEL": "debug"]).settings.log
        #expect(set.form == .json && set.level.ofLogger == .debug)
        #expect(try load(["GATEPASS_LOG_FORMAT": "text"]).settings.log.form == .text)
        let error = #expect(throws: SettingsError.self) {
            try load(["GATEPASS_LOG_FORMAT": "words", "GATEPASS_LOG_LEVEL": "warn"])
        }
        #expect(
            error?.description == """
                GATEPASS_LOG_LEVEL: log.level is "warn", which is none of debug, info, warning, error; \
                write debug or info or warning or error
                GATEPASS_LOG_FORMAT: log.format is "words", which is none of json, text; write json or text
                """)
    }

    @Test func `a command that sets a key nothing reads is refused`() {
        let error = #expect(throws: SettingsError.self) {
            try LoadedSettings(from: SettingsInputs(commandLine: ["http.prt": "1"]))
        }
        #expect(error?.description == "command line: unknown key http.prt; write http.port instead")
    }

    @Test func `a stronger source is read even where a weaker one is wrong`() throws {
        let inputs = SettingsInputs(
            environment: ["GATEPASS_HTTP_PORT": "9000"], file: .init(name: "f", text: "http: {port: x}"))
        #expect(try LoadedSettings(from: inputs).settings.http.port == 9000)
    }

    private func expectIssuer(
        _ issuer: String?, _ origin: Origin, in inputs: SettingsInputs,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let loaded = try LoadedSettings(from: inputs)
        #expect(loaded.settings.auth.issuer == issuer, sourceLocation: sourceLocation)
        #expect(
            loaded.effective.first { $0.key == "auth.issuer" }?.origin == origin, sourceLocation: sourceLocation)
    }

    @discardableResult
    private func load(_ environment: [String: String]) throws -> LoadedSettings {
        try LoadedSettings(from: SettingsInputs(environment: environment))
    }
}
