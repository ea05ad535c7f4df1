import AsyncHTTPClient
import Foundation
import JWTKit
import MariaDB
import NIOCore
import NIOHTTP1
import Support
import Testing

@testable import Gatepass

/// A `gatepass dev` whose passes may be transferred, and the commands beside it.
struct DevelopmentInstallation {
    let server: ServingProcess
    let directory: String

    static func options(_ directory: String) -> [String] {
        ["--config", directory + "/gatepass.yaml", "--catalog", directory + "/catalog.yaml", "--data-dir", directory]
    }

    /// Starts it, with further lines of settings and options. Throws when it does not become ready.
    static func open(
        adding lines: String = "", selling catalogue: String = EndToEndBackend.catalogue, with flags: [String] = []
    ) async throws -> DevelopmentInstallation {
        let directory = "/tmp/gatepass-dev-\(UInt32.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try EndToEndServer.write(catalogue, to: directory + "/catalog.yaml")
        try EndToEndServer.write(lines, to: directory + "/gatepass.yaml")
        return try await serving(directory, with: flags)
    }

    static func serving(_ directory: String, with flags: [String] = []) async throws -> DevelopmentInstallation {
        let opened = DevelopmentInstallation(
            server: try ServingProcess("dev", options(directory) + flags), directory: directory)
        try await opened.requireReady()
        return opened
    }

    /// Waits for the server, and for its last words at the start, before which it writes files that others read. Throws
    /// when the server does not become ready.
    func requireReady() async throws {
        try #require(await server.answers("/readyz", 200), "\(server.log)")
        try #require(await server.says("Then ask", or: "The catalogue sells no pass."), "\(server.log)")
    }

    /// Ends the server, and starts one on what it kept. Throws when that does not become ready.
    func restarted() async throws -> DevelopmentInstallation {
        #expect(await server.end() == 0)
        return try await Self.serving(directory)
    }

    /// The process of the installation's database. Throws when there is none.
    func databaseProcess() throws -> pid_t {
        let told = try String(contentsOfFile: directory + "/mariadb/server.pid", encoding: .utf8)
        return try #require(pid_t(told.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// The schema of the installation's database.
    var schema: TestSchema {
        let socket = ConnectionSettings.Endpoint.socket(path: directory + "/mariadb/mariadb.sock")
        return TestSchema(ConnectionSettings(endpoints: [socket], database: "gatepass", user: NSUserName()))
    }

    /// Ends it and removes what it kept.
    func close() {
        server.child.send(SIGTERM)
        server.child.waitForEnd()
        server.remove()
        try? FileManager.default.removeItem(atPath: directory)  // it is under /tmp
    }

    /// Tells a story. Throws when the program cannot be run.
    func simulate(_ words: [String]) async throws -> EndToEndAnswer {
        try await run(["simulate"] + words)
    }

    /// Runs the program on the installation. Throws when it cannot be run.
    func run(_ words: [String]) async throws -> EndToEndAnswer {
        try await Self.run(words + Self.options(directory))
    }

    /// Attaches what `body` holds. Throws when no whole answer came.
    func attach(_ body: [String: String], as user: String) async throws -> EndToEndAnswer {
        try await send(.POST, EndToEndServer.attachPath, try JSONEncoder().encode(body), as: user)
    }

    /// A token for the installation's simulated App Store. Throws when the installation's key cannot be read.
    func appStoreToken() async throws -> String {
        try await Installation(path: directory).appStoreToken(of: "com.airport.vpn")
    }

    /// Sends one request, signed in as `user`. Throws when no whole answer came.
    func send(
        _ method: HTTPMethod, _ path: String, _ body: Data? = nil, as user: String
    ) async throws -> EndToEndAnswer {
        let token = try await run(["token", user]).text
        return try await send(method, path, body, bearing: token.trimmingCharacters(in: .newlines))
    }

    /// Sends one request under a token. Throws when no whole answer came.
    func send(
        _ method: HTTPMethod, _ path: String, _ body: Data? = nil, bearing token: String
    ) async throws -> EndToEndAnswer {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(path)")
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer " + token)
        request.headers.add(name: "Content-Type", value: "application/json")
        // A kept connection would be closed by the server just when a test that waited long sends the next request.
        request.headers.add(name: "Connection", value: "close")
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        return EndToEndAnswer(status: Int(response.status.code), headers: response.headers, body: Array(buffer: bytes))
    }

    /// Runs the program; its exit status and what it printed. Throws when it cannot be run.
    static func run(_ words: [String]) async throws -> EndToEndAnswer {
        let answer = try await command(words)
        return EndToEndAnswer(status: Int(answer.status), headers: [:], body: Array(answer.text.utf8))
    }

    /// Runs the program in a working directory, with `environment` beside the present one. Throws when it cannot be
    /// run.
    static func command(
        _ words: [String], environment: [String: String] = [:], at workingDirectory: String = TestRun.repository
    ) async throws -> CommandAnswer {
        let output = URL(fileURLWithPath: "/tmp/gatepass-said-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: output) }  // it is under /tmp
        let child = try ServingProcess.start(words, environment: environment, in: output, at: workingDirectory)
        let status = await ServingProcess.end(of: child)
        let text = try String(contentsOf: output.appendingPathComponent("log"), encoding: .utf8)
        return CommandAnswer(status: status, printed: text)
    }
}

extension Installation {
    /// A token for the simulated App Store, as the server makes them for an app. Throws when there is no key.
    func appStoreToken(of app: String) async throws -> String {
        let keys = await JWTKeyCollection().add(ecdsa: try ES256PrivateKey(pem: try appStoreKey()))
        let claims = AppleToken(
            iss: "tests", iat: .init(value: Date()), exp: .init(value: Date(timeIntervalSinceNow: 300)),
            aud: AppleToken.audience, bid: app)
        return try await keys.sign(claims)
    }
}
