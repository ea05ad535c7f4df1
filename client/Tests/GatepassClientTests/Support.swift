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

    /// What the command prints. Debug programs take a second, so it is not waited for on the main actor.
    static func run(_ arguments: String...) async throws -> String { try await output(of: arguments) }

    @concurrent private static func output(of arguments: [String]) async throws -> String {
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

/// What a device has: a keychain, defaults, a clock, a network that can fail, and StoreKit's queue.
final class Device: @unchecked Sendable {
    typealias Fault = @Sendable (URLRequest, Service.Transport) async throws -> (Data, URLResponse)

    private let lock = NSLock()
    private var kept: [String: Data] = [:]
    private var noted: [String: Data] = [:]
    private var present: Fault?
    private var sent: [String] = []
    private var shift: TimeInterval = 0
    private var done = 0
    private var paused: [Int] = []
    private var breaksOff = false
    private var locks = false

    /// Replaces the network; nil is the real one.
    var fault: Fault? {
        get { locked { present } }
        set { locked { present = newValue } }
    }
    /// How far the device's clock is from the true time, in seconds.
    var clockShift: TimeInterval {
        get { locked { shift } }
        set { locked { shift = newValue } }
    }
    /// Whether the app is killed when it waits.
    var isKilledInPauses: Bool {
        get { locked { breaksOff } }
        set { locked { breaksOff = newValue } }
    }
    /// Whether the keychain cannot be read, as before the first unlocking.
    var isLocked: Bool {
        get { locked { locks } }
        set { locked { locks = newValue } }
    }
    var requests: [String] { locked { sent } }
    var finished: Int { locked { done } }
    var pauses: [Int] { locked { paused } }

    func finish() { locked { done += 1 } }

    /// A start of the app.
    @MainActor
    func start(
        _ signIn: SignIn, bundleID: String? = Dev.app, proof: String? = nil, patient: Bool = true
    ) throws -> Gatepass {
        let session = URLSession(configuration: .ephemeral)
        let real: Service.Transport = { try await session.data(for: $0) }
        let transport: Service.Transport = { request in
            self.locked { self.sent.append("\(request.httpMethod ?? "") \(request.url?.path ?? "")") }
            guard let fault = self.fault else { return try await real(request) }
            return try await fault(request, real)
        }
        return Gatepass(
            service: Service(server: try #require(Dev.server), transport: transport), signIn: signIn,
            bundleID: bundleID,
            secrets: Storage(
                read: { name in self.locked { self.locks ? nil : self.kept[name] } },
                write: { name, data in self.locked { self.kept[name] = data } }),
            notes: Storage(
                read: { name in self.locked { self.noted[name] } },
                write: { name, data in self.locked { self.noted[name] = data } }),
            proof: { proof },
            pause: { seconds in
                self.locked { self.paused.append(seconds) }
                if self.isKilledInPauses { throw CancellationError() }
            },
            date: { Date() + self.clockShift }, patient: patient)
    }

    /// A start of the app of a user of its login.
    @MainActor
    func start(_ user: String, proof: String? = nil) async throws -> Gatepass {
        let token = try await Dev.run("token", user)
        return try start(.token { token }, proof: proof)
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }
}

/// Answers that are none of the server's.
enum Canned {
    static let noNetwork: Device.Fault = { _, _ in throw URLError(.notConnectedToInternet) }

    static func answer(_ status: Int, _ body: String, _ headers: [String: String] = [:]) -> Device.Fault {
        { request, _ in
            let url = try #require(request.url)
            let response = try #require(
                HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers))
            return (Data(body.utf8), response)
        }
    }

    static func problem(_ status: Int, _ code: String, retry: String, after: Int? = nil) -> Device.Fault {
        let wait = after.map { ", \"retry_after\": \($0)" } ?? ""
        return answer(status, "{\"status\": \(status), \"code\": \"\(code)\", \"retry\": \"\(retry)\"\(wait)}")
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
