import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// `gatepass health`: asks the server beside it how it is, for a container's probe. It needs neither the database nor a
/// secret.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Ask the server of this machine whether it is ready.",
        discussion: """
            Asks /readyz at http.host and http.port of the settings. The exit status is 0 if the server is ready, and \
            else 1.

            For example: gatepass health
            """)

    @Flag(help: "Ask /livez: whether the server answers at all, also without its database.")
    var live = false

    @Option(help: "The port that the server was started with, if it is not http.port.")
    var port: UInt16?

    @OptionGroup var options: CommandOptions

    /// Throws the exit status 1, and prints why, unless the server is well.
    func run() async throws {
        try await Startup.reporting {
            let lookup = FileLookup.ofProcess().around(config: options.config)
            let http = try LoadedSettings.http(from: try .ofProcess(config: options.config, lookup: lookup))
            let question = try HealthQuestion(host: http.host, port: port ?? http.port, isReadiness: !live)
            print(VisibleText.escaped(try await question.sentence()))
        }
    }
}

/// The question for the health of a server on this machine.
struct HealthQuestion: Hashable {
    /// The reason why the server does not count as well.
    struct Failure: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// The answer to the question, as the server writes it.
    struct Page: Decodable {
        /// The result of a check.
        struct Check: Decodable {
            let name: String
            let ok: Bool
            let detail: String
        }

        let status: String
        let checks: [Check]?
    }

    /// The longest time for the whole answer. The image's probe ends one second later.
    private static let patience = Duration.seconds(4)
    private static let longestPage = 1 << 16
    private static let everywhere = ["0.0.0.0": "127.0.0.1", "::": "::1"]

    /// The address of the server, `host:port`.
    let place: String
    /// True for `/readyz`, false for `/livez`.
    let isReadiness: Bool

    /// The question to a server that listens on `host`; one that listens everywhere is asked over loopback. Throws
    /// `Failure` for the port 0, which stands for any free port.
    init(host: String, port: UInt16, isReadiness: Bool) throws(Failure) {
        guard port > 0 else {
            throw Failure(description: "http.port is 0, which says no port: name the server's with --port")
        }
        let asked = Self.everywhere[host] ?? host
        place = (asked.contains(":") ? "[\(asked)]" : asked) + ":\(port)"
        self.isReadiness = isReadiness
    }

    private var path: String { isReadiness ? "/readyz" : "/livez" }

    /// Asks, and says in a sentence that the server is well. Throws `Failure` unless it is.
    func sentence() async throws -> String {
        let answer = try await exchange()
        return try sentence(status: answer.status, body: answer.body)
    }

    private func exchange() async throws -> (status: Int, body: [UInt8]) {
        let client = HTTPClient.outward()
        let request = HTTPClientRequest(url: "http://\(place)\(path)")
        let asked: Result<(head: HTTPClientResponse, body: ByteBuffer), any Error>
        do {
            let answer = try await client.exchange(request, within: Self.patience, upTo: Self.longestPage)
            asked = .success(answer)
        } catch {
            asked = .failure(error)
        }
        try await client.shutdown()
        switch asked {
        case .success(let answer): return (Int(answer.head.status.code), Array(buffer: answer.body))
        case .failure(let error as HTTPClientError) where error == .deadlineExceeded:
            throw Failure(description: "the server at \(place) gave no answer within 4 seconds")
        case .failure: throw Failure(description: "no server answers at \(place)")
        }
    }

    /// The sentence about an answer. Throws `Failure` unless the server is well.
    func sentence(status: Int, body: [UInt8]) throws(Failure) -> String {
        // `try?` drops the error: what is no JSON of this form comes from another program, or from a limit.
        guard let page = try? JSONDecoder().decode(Page.self, from: Data(body)) else {
            throw Failure(description: "what answers at \(place) is no Gatepass that is well: \(path) is \(status)")
        }
        guard status == 200, page.status == (isReadiness ? "ready" : "alive") else {
            let failed = (page.checks ?? []).filter { !$0.ok }.map { "\($0.name), \($0.detail)" }
            let reasons = failed.isEmpty ? page.status : failed.joined(separator: "; ")
            throw Failure(description: VisibleText.escaped("the server at \(place) is not ready: \(reasons)"))
        }
        return "the server at \(place) is \(page.status)"
    }
}
