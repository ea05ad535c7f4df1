import Entitlements
import Synchronization
import Testing

@testable import AppStore

/// Questions about what may be of either environment (`apple.md` §9.3), and orders.
struct UnknownEnvironmentTests {
    /// Answers or fails in each environment.
    private final class Server: AppStoreServer {
        private let answers: [StoreEnvironment: Result<String, AppStoreServerFailure>]
        private let questions = Mutex<[StoreEnvironment]>([])

        init(_ production: Result<String, AppStoreServerFailure>, _ sandbox: Result<String, AppStoreServerFailure>) {
            answers = [.production: production, .sandbox: sandbox]
        }

        var asked: [StoreEnvironment] { questions.withLock { $0 } }

        func ask(
            _ question: AppStoreQuestion, about app: AppID, in environment: StoreEnvironment
        ) async throws(AppStoreServerFailure) -> [UInt8] {
            questions.withLock { $0.append(environment) }
            guard let answer = answers[environment] else { throw .unreadable }
            return Array(try answer.get().utf8)
        }

        func ask() async throws(AppStoreServerFailure) -> StoreEnvironment {
            try await ask(.history(of: "1", after: nil), about: AppID("com.example.app")).environment
        }
    }

    private static let unknown = AppStoreServerFailure.refused(code: 4_040_010)

    @Test func `what Production knows is not asked of the Sandbox`() async throws {
        let server = Server(.success("p"), .success("s"))
        #expect(try await server.ask() == .production && server.asked == [.production])
    }

    @Test func `the Sandbox is asked once where Production knows nothing, or does not take the key`() async throws {
        for failure in [Self.unknown, .keyNotAccepted] {
            let server = Server(.failure(failure), .success("s"))
            #expect(try await server.ask() == .sandbox && server.asked == [.production, .sandbox])
        }
    }

    @Test func `every other failure of Production is the failure, and so is that of the Sandbox`() async {
        for failure in [
            AppStoreServerFailure.unreachable("away"), .paused(until: .distantPast), .unreadable,
            .refused(code: 4_000_006), .refused(code: 4_040_001), .refused(code: 4_040_002),
        ] {
            let server = Server(.failure(failure), .success("s"))
            await #expect(throws: failure) { try await server.ask() }
            #expect(server.asked == [.production])
        }
        for (production, sandbox) in [
            (Self.unknown, Self.unknown), (.keyNotAccepted, .keyNotAccepted), (.keyNotAccepted, Self.unknown),
            (Self.unknown, .unreachable("away")),
        ] {
            await #expect(throws: sandbox) { try await Server(.failure(production), .failure(sandbox)).ask() }
        }
    }

    @Test func `an order has its texts, and an unknown order none`() {
        func read(_ text: String) -> [String]? { OrderAnswer(Array(text.utf8))?.signed.map(\.text) }
        #expect(read(#"{"status":0,"signedTransactions":["a","b"]}"#) == ["a", "b"])
        #expect(read(#"{"status":1,"signedTransactions":["a"]}"#) == [] && read(#"{"status":1}"#) == [])
        for body in ["", "[]", "{}", #"{"status":"0"}"#, #"{"status":0,"signedTransactions":["a",1]}"#] {
            #expect(read(body) == nil, "\(body)")
        }
    }

    @Test func `an order number is M and letters or digits`() {
        for text in ["MQ7HX2K4TN", "M2000000000000001", "MAAAAAAA"] { #expect(OrderID(text) != nil, "\(text)") }
        for text in [
            "", "M", "M123456", "mq7hx2k4tn", "AQ7HX2K4TN", "MQ7HX-2K4TN", " MQ7HX2K4TN", "MQ7HX2K4TÑ",
            "M" + String(repeating: "1", count: 24),
        ] {
            #expect(OrderID(text) == nil, "\(text)")
        }
    }
}
