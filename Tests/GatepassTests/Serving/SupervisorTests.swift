import Support
import Testing

@testable import Gatepass

/// A supervisor such as systemd is told how the server stands.
@Suite struct SupervisorTests {
    private static let environment = [
        "GATEPASS_DATABASE_SOCKET": "/tmp/there-is-no-socket",
        "GATEPASS_AUTH_HS256_SECRET": "a-secret-of-the-tests-with-64-bytes-0123456789-0123456789-012345",
    ]

    private static func place(_ kind: String) throws -> String {
        kind == "@" ? "@gatepass-\(UInt32.random(in: .min ... .max))" : try PrivateMariaDB.makeDirectory() + "/notify"
    }

    @Test(arguments: ["/", "@"]) func `a message reaches a path and an abstract name`(kind: String) async throws {
        let supervisor = try SupervisorHere(try Self.place(kind))
        let socket = try #require(SupervisorSocket(environment: ["NOTIFY_SOCKET": supervisor.name]))
        for message in [SupervisorSocket.Message.ready, .alive, .stopping] { socket.send(message) }
        for expected in ["READY=1", "WATCHDOG=1", "STOPPING=1"] {
            #expect(try await supervisor.next() == expected)
        }
        #expect(supervisor.left == 0)
    }

    @Test func `a supervisor that is gone is no fault`() throws {
        let socket = try #require(SupervisorSocket(environment: ["NOTIFY_SOCKET": "/tmp/there-is-no-socket"]))
        socket.send(.ready)
    }

    @Test(arguments: [nil, "", "notify", "vsock:2:1", "/" + String(repeating: "a", count: 107)])
    func `without a socket that can be used nobody is told`(name: String?) {
        #expect(SupervisorSocket(environment: name.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
        #expect(SupervisorSocket(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 106)]) != nil)
    }

    @Test(
        arguments: [
            ("30000000", nil, 15_000), ("30000000", "7", 15_000), ("30000000", "8", nil), (nil, nil, nil),
            ("0", nil, nil),
            ("-2", nil, nil), ("soon", nil, nil),
        ] as [(String?, String?, Int?)])
    func `signs of life come twice in the time that the supervisor allows this process`(
        allowed: String?, process: String?, milliseconds: Int?
    ) throws {
        var environment = ["NOTIFY_SOCKET": "/run/systemd/notify"]
        environment["WATCHDOG_USEC"] = allowed
        environment["WATCHDOG_PID"] = process
        let socket = try #require(SupervisorSocket(environment: environment, pid: 7))
        #expect(socket.signOfLife == milliseconds.map { .milliseconds($0) })
    }

    @Test func `a server that waits for its database is ready, gives signs of life, and says that it stops`()
        async throws
    {
        let supervisor = try SupervisorHere(try Self.place("/"))
        var environment = Self.environment
        environment["NOTIFY_SOCKET"] = supervisor.name
        environment["WATCHDOG_USEC"] = "200000"
        let server = try ServingProcess("serve", environment: environment)
        defer { server.remove() }
        #expect(try await supervisor.next() == "READY=1")
        #expect(try await server.get("/livez").status == 200)
        for _ in 0..<3 { #expect(try await supervisor.next() == "WATCHDOG=1") }
        async let status = server.end()  // a queue of signs of life that nobody reads has no room for the last word
        var message = try await supervisor.next()
        while message == "WATCHDOG=1" { message = try await supervisor.next() }
        #expect(message == "STOPPING=1")
        #expect(await status == 0)
    }

    @Test func `a server that does not start is never ready`() async throws {
        let supervisor = try SupervisorHere(try Self.place("/"))
        var environment = Self.environment
        environment["NOTIFY_SOCKET"] = supervisor.name
        environment["GATEPASS_AUTH_HS256_SECRET"] = nil
        environment["GATEPASS_AUTH_PUBLIC_KEY_FILE"] = "/tmp/there-is-no-key"
        let server = try ServingProcess("serve", environment: environment)
        defer { server.remove() }
        #expect(await ServingProcess.end(of: server.child) == 1)
        #expect(supervisor.left == 0)
    }
}
