import AsyncHTTPClient
import Entitlements
import Foundation
import Logging
import NIOCore
import Support
import Testing

@testable import Gatepass

/// What `gatepass dev` says to a person at a terminal.
@Suite struct DevTerminalTests {
    @Test func `on a terminal the log is in words, and the box comes last, with a phone's address and a warning`()
        async throws
    {
        let data = "/tmp/gatepass-dev-\(UInt32.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: data) }  // it is under /tmp
        let port = PrivateMariaDB.freePort()
        let words = "exec \(TestRun.program) dev --port \(port) --host 0.0.0.0 --data-dir \(data)/kept"
        let terminal = try ChildProcess.start(
            ["env", "-C", TestRun.repository, "script", "-qefc", words, "/dev/null"], log: data + "/log")
        defer { terminal.send(SIGKILL) }
        func log() -> String {
            String(decoding: FileManager.default.contents(atPath: data + "/log") ?? Data(), as: UTF8.self)
        }
        let deadline = ContinuousClock.now.advanced(by: .seconds(180))
        while !log().contains("└"), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(50)) }
        let said = log()
        let ask = try #require(said.range(of: "# Then ask"), "\(said)")
        let box = try #require(said.range(of: "┌"), "\(said)")
        #expect(ask.upperBound < box.lowerBound && said[box.lowerBound...].contains("└"))
        #expect(said[box.lowerBound...].contains("Warning: this server trusts a development root"), "\(said)")
        for address in Reach.addresses().prefix(1) {
            #expect(said.contains("From a phone in this network: http://\(address):\(port) "), "\(said)")
        }
        #expect(!said.contains(#"{"time""#), "\(said)")

        let alive = HTTPClientRequest(url: "http://127.0.0.1:\(port)/livez")
        _ = try await HTTPClient.shared.execute(alive, timeout: .seconds(60))
        while !log().contains(" GET /livez: 200, "), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(log().contains(" GET /livez: 200, "))
        kill(try #require(try Self.process(on: data + "/kept")), SIGINT)
        #expect(await ServingProcess.end(of: terminal) == 0, "\(log())")
    }

    @Test func `an address that is not of this machine is refused, because the simulated App Store is at 127.0.0.1`()
        async throws
    {
        let data = "/tmp/gatepass-dev-\(UInt32.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: data) }  // it is under /tmp
        let server = try ServingProcess("dev", ["--data-dir", data, "--host", "192.0.2.7"])
        defer { server.remove() }
        #expect(await ServingProcess.end(of: server.child) == 1)
        #expect(server.log.contains("192.0.2.7 is another address: with --host 0.0.0.0"), "\(server.log)")
    }

    @Test(
        arguments: [
            ("127.0.0.1", "http://127.0.0.1:80", nil, false), ("localhost", "http://127.0.0.1:80", nil, false),
            ("::1", "http://[::1]:80", nil, false), ("0.0.0.0", "http://127.0.0.1:80", "http://10.0.0.5:80", true),
            ("::", "http://127.0.0.1:80", "http://10.0.0.5:80", true),
        ] as [(String, String, String?, Bool)])
    func `a phone's address is told where others can connect`(
        host: String, here: String, elsewhere: String?, isOpen: Bool
    ) {
        let reach = Reach(host: host, port: 80, addresses: ["10.0.0.5", "10.1.0.5"])
        #expect(reach.here == here && reach.elsewhere == elsewhere && reach.isOpen == isOpen)
        #expect(Reach.isReached(listeningOn: host))
        #expect(Reach(host: host, port: 80, addresses: []).elsewhere == nil)
    }

    @Test func `a message in words is one line, with what it is about in order and nothing invisible`() {
        let at = Instant(milliseconds: 1_795_231_314_305)
        let about: Logger.Metadata = ["b": "two\nlines", "a": "\(1)"]
        let line = LineLogHandler.line("the login is away", .warning, about, at: at)
        #expect(line == #"03:21:54 warning: the login is away (a: 1, b: two\nlines)"#)
        #expect(LineLogHandler.line("ready", .info, [:], at: at) == "03:21:54 ready")
    }

    /// The process of the server that keeps its data in `directory`; nil when it has ended.
    private static func process(on directory: String) throws -> pid_t? {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.first { process in
            // It has ended meanwhile.
            guard let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else { return false }
            let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.first == TestRun.program && words.last == directory
        }
    }
}
