import Foundation
import Support
import Testing

/// systemd's own opinion of the unit.
@Suite struct UnitFileTests {
    /// Runs `systemd-analyze` on a copy of the unit whose program is there. Throws when it cannot be run.
    private static func analyze(
        _ arguments: [String], replacing text: String = "", with other: String = ""
    ) async throws -> (status: Int32, text: String) {
        let directory = try PrivateMariaDB.makeDirectory()
        let unit = directory + "/gatepass.service"
        let original = try String(contentsOfFile: TestRun.repository + "/packaging/gatepass.service", encoding: .utf8)
            .replacing("ExecStart=gatepass ", with: "ExecStart=/bin/true ")
        try EndToEndServer.write(text.isEmpty ? original : original.replacing(text, with: other), to: unit)
        let child = try ChildProcess.start(["systemd-analyze"] + arguments + [unit], log: directory + "/log")
        let status = await ServingProcess.end(of: child)
        return (status, try String(contentsOfFile: directory + "/log", encoding: .utf8))
    }

    @Test func `systemd understands every line`() async throws {
        let right = try await Self.analyze(["verify", "--man=no"])
        #expect(right.status == 0 && right.text == "", "\(right.text)")
        let wrong = try await Self.analyze(
            ["verify", "--man=no"], replacing: "ProtectSystem=strict", with: "ProtectSystem=stern")
        #expect(wrong.text.contains("stern"), "\(wrong.text)")
    }

    @Test func `what the server may do exposes it to less than 2 of 10`() async throws {
        // The threshold of the command is in tenths.
        let command = ["security", "--offline=true", "--no-pager", "--threshold=19"]
        let right = try await Self.analyze(command)
        #expect(right.status == 0, "\(right.text)")
        let wrong = try await Self.analyze(command, replacing: "CapabilityBoundingSet=\n", with: "")
        #expect(wrong.status == 1, "\(wrong.text)")
    }

    @Test func `the settings that the package brings are not served as a development server's`() async throws {
        let unit = try String(contentsOfFile: TestRun.repository + "/packaging/gatepass.service", encoding: .utf8)
        var environment: [String: String] = [:]
        for line in unit.split(separator: "\n") where line.hasPrefix("Environment=") {
            let parts = line.dropFirst("Environment=".count).split(separator: "=", maxSplits: 1).map(String.init)
            environment[parts[0]] = parts[1]
        }
        // A development server would wait for its database, and not end.
        try #require(environment == ["GATEPASS_ENVIRONMENT": "production"])
        let server = try ServingProcess("serve", environment: environment)
        defer { server.remove() }
        #expect(await ServingProcess.end(of: server.child) == 1)
        #expect(server.log.contains("production needs tokens.key_encryption_key"), "\(server.log)")
    }
}
