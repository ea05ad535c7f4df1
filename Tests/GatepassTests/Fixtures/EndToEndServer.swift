import AppStore
import Crypto
import FoundationEssentials
import Glibc
import MariaDB
import StoreSimulator
import Support
import Synchronization

/// `gatepass serve` as a process of its own, on a schema of its own, trusting an authority of the tests.
final class EndToEndServer: Sendable {
    /// The program did not become ready, or could not be run; the text is its log.
    struct Failure: Error {
        let log: String
    }

    static let secret = "an-end-to-end-secret-of-more-than-32-bytes"
    static let bundleID = "com.airport.vpn"
    /// One authority for all servers: making certificates takes time and they never differ.
    static let authority = Result { try HostileVectors.authority() }

    let port: Int
    let directory: String
    let schema: TestSchema
    let environment: [String: String]
    let authority: DevelopmentAuthority
    private let child = Mutex<ChildProcess?>(nil)

    /// The server that conversations share.
    static var shared: EndToEndServer {
        get async throws { try await sharedTask.value }
    }

    private static let sharedTask = Task { try await start() }

    /// Prepares a server without starting it: its directory, its schema and its settings.
    /// Throws when the database or the directory cannot be made.
    init(
        _ changes: [String: String] = [:], database server: PrivateMariaDB? = nil, on shared: TestSchema? = nil,
        signing other: DevelopmentAuthority? = nil
    ) async throws {
        let authority = try other ?? Self.authority.get()
        let settings: ConnectionSettings
        if let shared {
            settings = shared.settings
        } else if let server {
            settings = try await server.freshDatabase()
        } else {
            settings = try await PrivateMariaDB.shared.freshDatabase()
        }
        self.authority = authority
        directory = try PrivateMariaDB.makeDirectory()
        schema = TestSchema(settings)
        port = PrivateMariaDB.freePort()
        try Self.write(try authority.kept.root, to: directory + "/root.pem")
        try Self.write("", to: directory + "/gatepass.yaml")
        let isProduction = changes["GATEPASS_ENVIRONMENT"] == "production"
        try Self.write(isProduction ? Self.ownCatalogue : Self.catalogue(), to: directory + "/catalog.yaml")
        let standard = [
            "GATEPASS_HTTP_PORT": String(port), "GATEPASS_AUTH_HS256_SECRET": Self.secret,
            "GATEPASS_APPLE_TRUST_ROOTS": directory + "/root.pem",
            "GATEPASS_SANDBOX_ACCESS": "everyone", "GATEPASS_RATE_LIMITS_ATTACH_PER_MINUTE": "0",
            "GATEPASS_RATE_LIMITS_RESTORE_PER_MINUTE": "0", "GATEPASS_RATE_LIMITS_READ_PER_MINUTE": "0",
            "GATEPASS_CATALOG_ON_CHANGE": "refuse",
        ]
        environment = standard.merging(Self.database(settings)) { $1 }.merging(changes) { $1 }
            .filter { !$0.value.isEmpty }
    }

    /// The variables that lead to a database.
    private static func database(_ settings: ConnectionSettings) -> [String: String] {
        var variables = [
            "GATEPASS_DATABASE_NAME": settings.database ?? "", "GATEPASS_DATABASE_USER": settings.user,
            "GATEPASS_DATABASE_PASSWORD": settings.password ?? "",
        ]
        var hosts: [String] = []
        for endpoint in settings.endpoints {
            switch endpoint {
            case .socket(let path): variables["GATEPASS_DATABASE_SOCKET"] = path
            case .tcp(let host, let port):
                hosts.append("\(host):\(port)")
            }
        }
        variables["GATEPASS_DATABASE_HOST"] = hosts.joined(separator: ",")
        return variables
    }

    /// A server that is ready. Throws `Failure`.
    static func start(
        _ changes: [String: String] = [:], database: PrivateMariaDB? = nil
    ) async throws -> EndToEndServer {
        let server = try await EndToEndServer(changes, database: database)
        try await server.boot()
        return server
    }

    /// Another server on the database of `other`, ready. Throws `Failure`.
    static func start(beside other: EndToEndServer) async throws -> EndToEndServer {
        let server = try await EndToEndServer(on: other.schema)
        try await server.boot()
        return server
    }

    // MARK: The process

    /// Sends a signal to the process and waits for nothing.
    func send(_ signal: Int32) {
        child.withLock { $0?.send(signal) }
    }

    /// Starts the program, once more if need be, and waits until it is ready. Throws `Failure`.
    func boot() async throws {
        try await launch()
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(180) {
            if await answers("/readyz") == 200 { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw Failure(log: log)
    }

    /// Starts the program. Throws when it is not there.
    func launch() async throws {
        let (arguments, log) = (arguments(["serve"]), logFile)
        let started = try await blocking { try ChildProcess.start(arguments, log: log) }
        child.withLock { $0 = started }
    }

    /// Sends a signal and waits for the end; the exit status, or 128 and the signal.
    @discardableResult
    func end(by signal: Int32 = SIGTERM) async throws -> Int32 {
        guard let running = child.withLock({ $0.take() }) else { return -1 }
        return try await blocking {
            running.send(signal)
            return running.waitForEnd()
        }
    }

    /// Waits for the end; the exit status.
    func waitForEnd() async throws -> Int32 {
        guard let running = child.withLock({ $0.take() }) else { return -1 }
        return try await blocking { running.waitForEnd() }
    }

    /// How much memory the process has, in bytes; nil when it does not run.
    var residentBytes: Int? {
        guard let pid = child.withLock({ $0?.pid }) else { return nil }
        let line = Self.text(of: "/proc/\(pid)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1_024 }
    }

    /// Runs another command of the program with the same settings. Throws when it cannot be run.
    func command(_ words: [String], _ changes: [String: String] = [:]) async throws -> CommandAnswer {
        let output = directory + "/output-" + EndToEnd.newID()
        let arguments = arguments(words, changes)
        let status = try await blocking { try ChildProcess.start(arguments, log: output).waitForEnd() }
        return CommandAnswer(status: status, printed: Self.text(of: output))
    }

    /// The line by which a command names this server.
    var target: String {
        let place = environment["GATEPASS_DATABASE_SOCKET"] ?? environment["GATEPASS_DATABASE_HOST"] ?? ""
        return "on development, \(environment["GATEPASS_DATABASE_NAME"] ?? "") at \(place)"
    }

    /// What the server has logged so far.
    var log: String { Self.text(of: logFile) }

    private var logFile: String { directory + "/log" }

    /// The whole environment is said, so that nothing of the tests' own reaches the program; it dies with this process.
    private func arguments(_ words: [String], _ changes: [String: String] = [:]) -> [String] {
        let variables = environment.merging(changes) { _, changed in changed }.filter { !$0.value.isEmpty }
        let files = [
            "--config", directory + "/gatepass.yaml", "--catalog", directory + "/catalog.yaml", "--migrations",
            TestRun.repository + "/migrations",
        ]
        return ["env", "-i", "PATH=/usr/bin:/bin"] + variables.map { "\($0.key)=\($0.value)" }.sorted()
            + ["setpriv", "--pdeathsig", "KILL", TestRun.program] + words + files
    }

    // MARK: Files

    /// The catalogue of the conversations, perhaps with one product more.
    static func catalogue(adding line: String = "") -> String {
        """
        apps:
          - {bundle_id: com.airport.vpn, app_apple_id: 1234567890}
        default_tier: free
        tiers:
          - {id: free, rank: 0, features: [], limits: {saved_trips: 1}}
          - {id: basic, rank: 1, features: [standard_servers], limits: {saved_trips: 10}, devices: 1}
          - {id: pro, rank: 2, features: [standard_servers, premium_servers], limits: {saved_trips: 1000}, devices: 5}
        products:
          - {id: com.airport.vpn.pass.30d, kind: pass, tier: pro, duration: 30d,
             price: {amount: "4.99", currency: USD}, title: {en: 30-day pass, zh-Hans: 30 天通行证}}
          - {id: com.airport.vpn.basic.30d, kind: pass, tier: basic, duration: 30d}
          - {id: com.airport.vpn.addon.xyz, kind: add_on, features: [xyz]}
          - {id: com.airport.vpn.annual3, kind: plan, plan_id: annual_3, tier: pro}
          - {id: com.airport.vpn.monthly1, kind: plan, plan_id: monthly_1, tier: basic, family_shareable: true}
        \(line)
        """
    }

    /// The catalogue with an app that is not the demo's, with which production does not start.
    static var ownCatalogue: String { catalogue().replacing("1234567890", with: "1234567891") }

    /// Writes a file. Throws what the file system refuses.
    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private static func text(of path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
