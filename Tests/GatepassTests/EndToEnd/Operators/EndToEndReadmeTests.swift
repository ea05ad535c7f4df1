import Foundation
import Support
import Testing

extension EndToEnd {
    /// What the pages tell people to paste, on the server of a new installation.
    @Suite struct Readme {
        @Test(arguments: [
            "README.md", "docs/app-store-connect.md", "docs/config-zh.md", "docs/development.md",
            "docs/integration-for-agents.md", "docs/plans-and-devices.md", "docs/refunds.md", "docs/stripe-setup.md",
            "docs/troubleshooting.md", "docs/your-app.md",
        ])
        func `the commands end well and answer what the page shows`(path: String) async throws {
            let folder = "/tmp/gatepass-page-\(UInt32.random(in: .min ... .max))"
            defer { try? FileManager.default.removeItem(atPath: folder) }  // it is under /tmp
            try FileManager.default.createDirectory(
                atPath: folder + "/.build/debug", withIntermediateDirectories: true)
            for (name, target) in [
                ("config", TestRun.repository + "/config"), ("migrations", TestRun.repository + "/migrations"),
                (".build/debug/gatepass", TestRun.program),
            ] {
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/" + name, withDestinationPath: target)
            }
            let server = try ServingProcess("dev", ["--data-dir", folder + "/.gatepass"])
            defer { server.remove() }
            try #require(await server.says("└"), "\(server.log)")

            let text = try String(contentsOfFile: TestRun.repository + "/" + path, encoding: .utf8)
            let page = ShellPage(
                text.replacing("127.0.0.1:8080", with: "127.0.0.1:\(server.port)")
                    .replacing("8090", with: "\(PrivateMariaDB.freePort())"))
            #expect(page.steps.count > 5)
            try EndToEndServer.write(page.script, to: folder + "/script")
            let log = folder + "/log"
            let shell = try ChildProcess.start(["env", "-C", folder, "bash", folder + "/script"], log: log)
            #expect(await ServingProcess.end(of: shell) == 0)
            #expect(page.findings(in: try String(contentsOfFile: log, encoding: .utf8)) == [])
            #expect(await server.end() == 0)
        }

        @Test func `the reader of pages takes commands and their answers, and tells what did not come`() {
            let page = ShellPage(
                """
                ```console
                $ echo 'kim has a pass until 2026-12-26T02:44:21Z'
                kim has a pass until 2027-01-25T02:44:21Z
                $ cat <<'END'
                one
                END
                one
                ```
                <!-- not run: why -->
                ```sh
                exit 1
                ```
                ```sh
                # Why.
                echo {}
                ```
                ```json
                {…}
                ```
                """)
            #expect(
                page.steps == [
                    .init(
                        command: "echo 'kim has a pass until 2026-12-26T02:44:21Z'",
                        shown: ["kim has a pass until 2027-01-25T02:44:21Z"]),
                    .init(command: "cat <<'END'\none\nEND", shown: ["one"]),
                    .init(command: "\n# Why.\necho {}", shown: ["{…}"]),
                ])
            let right = "::0\nkim has a pass until 2026-12-26T02:44:21Z\n::1\none\n::2\n{}\n::end\n"
            #expect(page.findings(in: right) == [])
            #expect(page.findings(in: right.replacing("kim", with: "tom")).count == 1)
            #expect(page.findings(in: right.replacing("one", with: "one\nfailed: cat")) == ["failed: cat"])
            #expect(page.findings(in: "::0\n").count == 4)
        }
    }
}
