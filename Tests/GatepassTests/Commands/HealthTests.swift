import Foundation
import Support
import Testing

@testable import Gatepass

/// `gatepass health`: what a container's probe asks.
@Suite struct HealthTests {
    @Test func `a server that serves is ready, and nothing is asked of settings that the probe does not need`()
        async throws
    {
        let server = try await EndToEndServer.shared
        let place = "127.0.0.1:\(server.port)"
        let ready = try await server.command(["health"])
        #expect(ready.status == 0 && ready.text == "the server at \(place) is ready\n", "\(ready.text)")
        let alive = try await server.command(["health", "--live"])
        #expect(alive.status == 0 && alive.text == "the server at \(place) is alive\n", "\(alive.text)")
        let everywhere = try await server.command(["health"], ["GATEPASS_HTTP_HOST": "0.0.0.0"])
        #expect(everywhere.status == 0 && everywhere.text == ready.text, "\(everywhere.text)")
        // A probe is not given the secrets without which production does not start.
        let bare = try await server.command(
            ["health"], ["GATEPASS_ENVIRONMENT": "production", "GATEPASS_AUTH_HS256_SECRET": ""])
        #expect(bare.status == 0 && bare.text == ready.text, "\(bare.text)")
        let named = try await server.command(
            ["health", "--port", "\(server.port)"], ["GATEPASS_HTTP_PORT": "\(PrivateMariaDB.freePort())"])
        #expect(named.status == 0 && named.text == ready.text, "\(named.text)")
    }

    @Test func `a server whose database is away is alive, and not ready for reasons that are told`() async throws {
        let environment = [
            "GATEPASS_DATABASE_SOCKET": "/tmp/there-is-no-socket",
            "GATEPASS_AUTH_HS256_SECRET": "a-secret-of-the-tests-with-64-bytes-0123456789-0123456789-012345",
        ]
        let server = try ServingProcess("serve", environment: environment)
        defer { server.remove() }
        #expect(await server.answers("/livez", 200))
        let words = ["health", "--port", "\(server.port)"]
        let ready = try await DevelopmentInstallation.command(words, environment: environment)
        #expect(ready.status == 1)
        let start = "gatepass: the server at 127.0.0.1:\(server.port) is not ready: "
        #expect(
            ready.text.hasPrefix(start + "database, cannot be written to, or lacks a table; migrations, "),
            "\(ready.text)")
        let alive = try await DevelopmentInstallation.command(words + ["--live"], environment: environment)
        #expect(alive.status == 0, "\(alive.text)")
        #expect(await server.end() == 0)
    }

    @Test func `where no server listens, or none whose port is known, one sentence says so`() async throws {
        let port = PrivateMariaDB.freePort()
        let none = try await DevelopmentInstallation.command(["health", "--port", "\(port)"])
        #expect(none.status == 1 && none.text == "gatepass: no server answers at 127.0.0.1:\(port)\n", "\(none.text)")
        let any = try await DevelopmentInstallation.command(["health"], environment: ["GATEPASS_HTTP_PORT": "0"])
        #expect(
            any.status == 1
                && any.text == "gatepass: http.port is 0, which says no port: name the server's with --port\n",
            "\(any.text)")
    }

    @Test func `another program at the port is not taken for the server`() async throws {
        let other = try StoreReceiver { _, _ in .init(200, #"{"name":"another"}"#) }
        defer { other.stop() }
        let answer = try await DevelopmentInstallation.command(["health", "--port", "\(other.port)"])
        #expect(answer.status == 1)
        #expect(
            answer.text
                == "gatepass: what answers at 127.0.0.1:\(other.port) is no Gatepass that is well: /readyz is 200\n")
    }

    @Test func `a server that says nothing is given up`() async throws {
        let silent = try StoreReceiver { _, _ in .init(200, "{}", at: .nothing) }
        defer { silent.stop() }
        let answer = try await DevelopmentInstallation.command(["health", "--port", "\(silent.port)"])
        #expect(answer.status == 1)
        #expect(
            answer.text == "gatepass: the server at 127.0.0.1:\(silent.port) gave no answer within 4 seconds\n",
            "\(answer.text)")
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:8080"), ("0.0.0.0", "127.0.0.1:8080"), ("::", "[::1]:8080"), ("::1", "[::1]:8080"),
        ("10.0.0.5", "10.0.0.5:8080"), ("localhost", "localhost:8080"),
    ])
    func `a server is asked where it listens, and over loopback if that is everywhere`(
        host: String, place: String
    ) throws {
        #expect(try HealthQuestion(host: host, port: 8080, isReadiness: true).place == place)
    }

    @Test func `the status and the words of the page have to agree`() throws {
        let (ready, alive) = (
            try HealthQuestion(host: "::1", port: 1, isReadiness: true),
            try HealthQuestion(host: "::1", port: 1, isReadiness: false)
        )
        func page(_ status: String) -> [UInt8] { Array(#"{"status":"\#(status)"}"#.utf8) }
        #expect(try ready.sentence(status: 200, body: page("ready")) == "the server at [::1]:1 is ready")
        #expect(try alive.sentence(status: 200, body: page("alive")) == "the server at [::1]:1 is alive")
        for (question, status, text) in [
            (ready, 503, "ready"), (ready, 200, "alive"), (ready, 503, "unavailable"), (alive, 200, "ready"),
        ] {
            #expect(throws: HealthQuestion.Failure.self) {
                try question.sentence(status: status, body: page(text))
            }
        }
    }
}
