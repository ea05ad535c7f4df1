import Foundation
import Support
import Testing

@testable import Gatepass

/// Settings that nothing reads yet are told of when they are set.
@Suite struct IdleSettingsTests {
    private static func told(_ environment: [String: String], file: String = "") throws -> [String] {
        let inputs = SettingsInputs(environment: environment, file: .init(name: "gatepass.yaml", text: file))
        return IdleSettings.set(in: try LoadedSettings(from: inputs).effective)
    }

    @Test func `every one of them is a setting`() {
        #expect(IdleSettings.keys.filter { !KnownKeys().all.contains($0) } == [])
    }

    @Test func `the example marks them, and no other`() throws {
        let marked = try ConfigurationExampleTests.example().split(separator: "\n").filter {
            $0.contains("# no effect yet")
        }
        let keys = marked.compactMap { $0.split(separator: ":").first?.filter { $0 != " " } }
        #expect(keys == IdleSettings.keys.map { String($0.drop { $0 != "." }.dropFirst()) })
    }

    @Test func `they are told of wherever they are set, and not with their default`() throws {
        let idle = ["retention.access_log_days"]
        let file = "stripe: {api_key: sk_1, grace_days: 3}\nretention: {access_log_days: 3}"
        #expect(try Self.told(["GATEPASS_HTTP_PORT": "1"], file: file) == idle)
        #expect(try Self.told(["GATEPASS_RETENTION_ACCESS_LOG_DAYS": "7"]) == idle)
        #expect(try Self.told([:], file: try ConfigurationExampleTests.example()) == [])
        #expect(try Self.told(["GATEPASS_APPLE_SHARED_SECRET": "x"]) == [])
    }

    @Test func `a start tells of them in one line, by name and never by value`() async throws {
        let environment = [
            "GATEPASS_DATABASE_SOCKET": "/tmp/there-is-no-socket", "GATEPASS_APPLE_SHARED_SECRET": "canary",
            "GATEPASS_STRIPE_API_KEY": "canary", "GATEPASS_STRIPE_SIGNING_SECRETS": "canary",
            "GATEPASS_RETENTION_ACCESS_LOG_DAYS": "7",
        ]
        let server = try ServingProcess("serve", environment: environment)
        defer { server.remove() }
        #expect(await server.answers("/livez", 200))
        let lines = server.log.split(separator: "\n").filter { $0.contains("no effect") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("\"level\":\"warning\"") == true, "\(lines)")
        let names = "\"settings\":\"retention.access_log_days\""
        #expect(lines.first?.contains(names) == true, "\(lines)")
        #expect(!server.log.contains("canary"))
    }
}
