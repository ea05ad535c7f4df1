import Foundation
import Testing

@testable import GatepassClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The development server that `Tests/run` starts, and its command line.
enum Dev {
    static let server = variable("CLIENT_TEST_SERVER").flatMap { URL(string: $0) }
    static let app = "com.example.app"
    static let pass = "com.example.app.pass.30d"
    static let addOn = "com.example.app.addon.xyz"
    static let credits = "com.example.app.credits.100"

    /// The output of a command.
    static func run(_ arguments: String...) async throws -> String { try await output(of: arguments) }

    private static func output(of arguments: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(variable("CLIENT_TEST_PROGRAM")))
        process.arguments = arguments + ["--data-dir", try #require(variable("CLIENT_TEST_DATA"))]
        if arguments.first == "simulate" {
            process.arguments?.append(contentsOf: ["--catalog", try #require(variable("CLIENT_TEST_CATALOG"))])
        }
        // The program looks for settings and migrations there.
        process.currentDirectoryURL = URL(fileURLWithPath: try #require(variable("CLIENT_TEST_ROOT")))
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "gatepass \(arguments.joined(separator: " "))")
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A transaction that the user has bought, of which the server has not heard.
    static func purchase(_ user: String, _ product: String = pass, _ more: String...) async throws -> String {
        try await output(of: ["simulate", "purchase", "--user", user, "--product", product, "--print"] + more)
    }

    static func appTransaction(_ user: String) async throws -> String {
        try await run("simulate", "app-transaction", "--user", user)
    }

    static func someone() -> String { "u" + UUID().uuidString.lowercased().replacing("-", with: "") }

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

/// A device with a keychain, defaults, a clock, a network that can fail, and StoreKit's queue.
final class Phone: @unchecked Sendable {
    typealias Fault = @Sendable (URLRequest, Service.Transport) async throws -> (Data, URLResponse)

    /// The state behind the lock.
    struct State {
        /// Replaces the network; nil is the real one.
        var fault: Fault?
        /// How far the device's clock is from the true time, in seconds.
        var clockShift: TimeInterval = 0
        /// True where the app is killed when it waits.
        var isKilledInPauses = false
        /// True where the keychain can neither be read nor written, as before the first unlocking.
        var isLocked = false
        /// The requests: method and path.
        var requests: [String] = []
        var pauses: [Int] = []
        var finished: [Int] = []
        var keychain: [String: Data] = [:]
        var defaults: [String: Data] = [:]
    }

    private let lock = NSLock()
    private var state = State()

    /// A part of the state; each reading and writing is by itself.
    subscript<Value>(_ part: WritableKeyPath<State, Value> & Sendable) -> Value {
        get { locked { $0[keyPath: part] } }
        set { locked { $0[keyPath: part] = newValue } }
    }

    func finish(_ place: Int = 0) { locked { $0.finished.append(place) } }

    func count(_ request: String) -> Int { self[\.requests].count { $0 == request } }

    /// A start of the app.
    @MainActor
    func start(
        _ signIn: SignIn, bundleID: String? = Dev.app, proof: String? = nil, isDebugBuild: Bool = false
    ) throws -> Gatepass {
        let session = URLSession(configuration: .ephemeral)
        let real: Service.Transport = { try await session.data(for: $0) }
        let transport: Service.Transport = { request in
            self.locked { $0.requests.append("\(request.httpMethod ?? "") \(request.url?.path ?? "")") }
            guard let fault = self[\.fault] else { return try await real(request) }
            return try await fault(request, real)
        }
        return Gatepass(
            service: Service(server: try #require(Dev.server), transport: transport), signIn: signIn,
            bundleID: bundleID,
            device: Surroundings(
                secrets: Storage(
                    read: { name in
                        if self[\.isLocked] { throw GatepassError.noAnswer }
                        return self[\.keychain][name]
                    },
                    write: { name, data in self.locked { if !$0.isLocked { $0.keychain[name] = data } } }),
                notes: Storage(
                    read: { name in self.locked { $0.defaults[name] } },
                    write: { name, data in self.locked { $0.defaults[name] = data } }),
                proof: { proof },
                pause: { seconds in
                    self.locked { $0.pauses.append(seconds) }
                    if self[\.isKilledInPauses] { throw CancellationError() }
                },
                date: { Date() + self[\.clockShift] }, isDebugBuild: isDebugBuild))
    }

    /// A start of the app of a user of its login.
    @MainActor
    func start(_ user: String, proof: String? = nil) async throws -> Gatepass {
        let token = try await Dev.run("token", user)
        return try start(.token { token }, proof: proof)
    }

    /// A start of the app of somebody who has a pass, and knows it.
    @MainActor
    func startPaying(_ user: String) async throws -> Gatepass {
        let gatepass = try await start(user)
        _ = try await gatepass.attach(try await Dev.purchase(user))
        try await gatepass.refresh()
        try #require(gatepass.isActive)
        return gatepass
    }

    private func locked<Value>(_ body: (inout State) -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body(&state)
    }
}

/// Answers that are none of the server's.
enum Canned {
    static let noNetwork: Phone.Fault = { _, _ in throw URLError(.notConnectedToInternet) }

    static func answer(_ status: Int, _ body: String, _ headers: [String: String] = [:]) -> Phone.Fault {
        { request, _ in
            let url = try #require(request.url)
            let response = try #require(
                HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers))
            return (Data(body.utf8), response)
        }
    }

    static func problem(_ status: Int, _ code: String, retry: String, after: Int? = nil) -> Phone.Fault {
        let wait = after.map { ", \"retry_after\": \($0)" } ?? ""
        return answer(
            status,
            """
            {"type": "urn:gatepass:problem:\(code)", "status": \(status), "code": "\(code)", "retry": "\(retry)"\(wait)}
            """)
    }

    /// A fault for the paths that end so, and the real network for all others.
    static func only(_ ending: String, _ fault: @escaping Phone.Fault) -> Phone.Fault {
        { request, real in
            guard request.url?.path.hasSuffix(ending) == true else { return try await real(request) }
            return try await fault(request, real)
        }
    }

    /// A status of Ana's.
    static func status(
        active: Bool, state: String = "active", sequence: Int? = nil, expiresAt: String = "2026-02-15T00:00:00Z",
        accessExpiresAt: String = "2026-02-15T00:00:00Z", addOns: String = "[]"
    ) -> Phone.Fault {
        answer(
            200,
            """
            {"user_id": "ana", "at": "2026-01-15T00:00:00Z", "active": \(active), "tier": "pro", "state": "\(state)",
             "expires_at": "\(expiresAt)", "access_expires_at": "\(accessExpiresAt)", "features": ["maps"],
             "limits": {"saved_trips": 5}, "entitlements": [], "add_ons": \(addOns), "credits": [], "devices": null,
             "sequence": \(sequence.map { "\($0)" } ?? "null"), "of_a_later_server": {}}
            """)
    }
}

/// A door that opens once.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for one in waiting { one.resume() }
        waiting = []
    }
}
