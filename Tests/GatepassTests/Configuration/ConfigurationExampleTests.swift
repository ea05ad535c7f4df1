import Foundation
import Support
import Testing

@testable import Gatepass

/// `config/gatepass.yaml` is the reference of every key.
@Suite struct ConfigurationExampleTests {
    static func example() throws -> String {
        try String(contentsOfFile: TestRun.repository + "/config/gatepass.yaml", encoding: .utf8)
    }

    @Test func `the example's values are the built-in defaults`() throws {
        let example = try LoadedSettings(from: SettingsInputs(file: .init(name: "example", text: Self.example())))
        let defaults = try LoadedSettings(from: SettingsInputs())
        #expect(example.settings == defaults.settings)
        #expect(example.effective.map(\.shown) == defaults.effective.map(\.shown))
    }

    @Test func `a production start from the example differs in nothing from one without a file`() throws {
        var inputs = SettingsInputs(
            environment: [
                "GATEPASS_ENVIRONMENT": "production", "GATEPASS_AUTH_HS256_SECRET": String(repeating: "0aZ/", count: 8),
                "GATEPASS_TOKENS_KEY_ENCRYPTION_KEY": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
            ])
        let defaults = try LoadedSettings(from: inputs)
        inputs.file = .init(name: "example", text: try Self.example())
        let example = try LoadedSettings(from: inputs)
        #expect(example.settings == defaults.settings)
        #expect(example.effective.map { [$0.key, $0.shown] } == defaults.effective.map { [$0.key, $0.shown] })
        #expect(!example.settings.dashboard.onMainPort, "the staff's pages are not on the public port")
    }

    @Test func `the example names every key in order, those whose default depends on something else in comments`()
        throws
    {
        let uncommented = try Self.example().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let isSetting = ["sandbox_access:", "format:", "on_start:", "on_change:", "on_main_port:"].contains {
                line.contains("# \($0)")
            }
            return isSetting ? line.replacingOccurrences(of: "# ", with: "") : String(line)
        }
        let file = SettingsFile(.init(name: "example", text: uncommented.joined(separator: "\n")))
        #expect(file.faults.isEmpty)
        let written = file.values.sorted { $0.value.line < $1.value.line }.map(\.key)
        #expect(written == KnownKeys().all)
    }

    @Test func `settings print by key with their origin, secrets masked`() throws {
        let inputs = SettingsInputs(
            environment: ["GATEPASS_AUTH_HS256_SECRET": "hunter2"],
            file: .init(name: "gatepass.yaml", text: "http:\n  port: 9000\ndatabase: {host: [a, b]}"))
        let table = ConfigCheckCommand.table(try LoadedSettings(from: inputs).effective)
        let lines = table.split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        #expect(lines.contains("environment: development # default"))
        #expect(lines.contains("http.port: 9000 # gatepass.yaml:2"))
        #expect(lines.contains("database.host: [\"a\", \"b\"] # gatepass.yaml:3"))
        #expect(lines.contains("auth.hs256_secret: (set) # GATEPASS_AUTH_HS256_SECRET"))
        #expect(lines.contains("database.password: (not set) # default"))
        #expect(!table.contains("hunter2"))
    }

    @Test func `a secret never prints`() {
        let secret = Secret("hunter2")
        let key = KeyEncryptionKey(base64: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
        for value in [secret, key] as [Any?] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(String(describing: value))", String(reflecting: value), dumped] {
                #expect(!text.contains("hunter2") && !text.contains("48"))
            }
        }
        #expect(Secret("") == nil)
    }
}
