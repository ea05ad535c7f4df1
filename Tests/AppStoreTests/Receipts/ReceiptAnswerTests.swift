import Entitlements
import Synchronization
import Testing

@testable import AppStore

/// verifyReceipt is asked for ids only (`apple.md` §9.2).
struct ReceiptAnswerTests {
    /// Gives the answers in turn; nil is a server that cannot be reached.
    private final class Server: ReceiptServer {
        private let answers: Mutex<[String?]>
        private let questions = Mutex<[StoreEnvironment]>([])

        init(_ answers: [String?]) { self.answers = Mutex(answers) }

        var asked: [StoreEnvironment] { questions.withLock { $0 } }

        func verify(
            _ receipt: String, in environment: StoreEnvironment
        ) async throws(AppStoreServerFailure) -> [UInt8] {
            questions.withLock { $0.append(environment) }
            let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let answer else { throw .unreachable("away") }
            return Array(answer.utf8)
        }
    }

    private static func ask(_ answers: String?...) async -> (Result<ReceiptAnswer, ReceiptAnswer.Failure>, Server) {
        let server = Server(answers)
        do throws(ReceiptAnswer.Failure) {
            return (.success(try await ReceiptAnswer(asking: server, about: "MIIT")), server)
        } catch {
            return (.failure(error), server)
        }
    }

    private static let whole = #"{"status":0,"receipt":{"bundle_id":"com.example.app","in_app":[]}}"#

    @Test func `a trial, its renewal and a new start three months later are one purchase`() async throws {
        let (answer, server) = await Self.ask(
            """
            {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","adam_id":0,
             "bundle_id":"com.blogo.pro.ios","app_item_id":1032155965,"in_app":[]},"latest_receipt":"MIIX",
             "latest_receipt_info":[
              {"product_id":"com.blogo.pro.ios.month","transaction_id":"120000262038036",
               "original_transaction_id":"120000262038036","is_trial_period":"true",
               "expires_date":"2016-11-16 06:45:23 Etc/GMT"},
              {"product_id":"com.blogo.pro.ios.month","transaction_id":"120000269815092",
               "original_transaction_id":"120000262038036","is_trial_period":"false"},
              {"product_id":"com.blogo.pro.ios.month","transaction_id":"120000303300763",
               "original_transaction_id":"120000262038036","is_trial_period":"false"}]}
            """)
        let read = try answer.get()
        #expect(read.purchases == ["120000262038036"] && read.bundleID == "com.blogo.pro.ios")
        #expect(read.appItemID == 1_032_155_965 && server.asked == [.production])
    }

    @Test func `one-time purchases stand in the receipt, and numbers may be numbers or texts`() async throws {
        let (answer, _) = await Self.ask(
            """
            {"status":"0","environment":"Production","receipt":{"receipt_type":"Production","app_item_id":"123",
             "bundle_id":"com.adapty.sample_app","in_app":[
              {"quantity":"1","transaction_id":"1000000831360853","original_transaction_id":"1000000831360853"},
              {"quantity":"1","transaction_id":1000000831360900,"original_transaction_id":1000000831360900}]},
             "latest_receipt_info":[
              {"transaction_id":"230001020690335","original_transaction_id":"1000000831360853"},
              {"original_transaction_id":null},{"original_transaction_id":"no id"},7]}
            """)
        let read = try answer.get()
        #expect(read.purchases == ["1000000831360900", "1000000831360853"] && read.appItemID == 123)
    }

    @Test func `a transaction receipt of iOS 6 has one object in place of a list`() async throws {
        let (answer, _) = await Self.ask(
            """
            {"status":21006,"receipt":{"bid":"com.example.app","original_transaction_id":"33993399"},
             "latest_expired_receipt_info":{"original_transaction_id":"33993399"}}
            """)
        let read = try answer.get()
        #expect(read.purchases == ["33993399"] && read.bundleID == "com.example.app")
    }

    @Test func `a sandbox receipt is asked about there, and its app has no number`() async throws {
        let sandbox =
            #"{"status":0,"receipt":{"bundle_id":"com.example.app","app_item_id":0,"in_app":[{"transaction_id":"1"}]}}"#
        let (answer, server) = await Self.ask(#"{"status":21007}"#, sandbox)
        let read = try answer.get()
        #expect(read.purchases == ["1"] && read.appItemID == nil && server.asked == [.production, .sandbox])
    }

    @Test func `a receipt that cannot be read is asked about once again`() async throws {
        let (answer, server) = await Self.ask(#"{"status":21002}"#, Self.whole)
        #expect(try answer.get().purchases == [] && server.asked.count == 2)
        let (refused, twice) = await Self.ask(#"{"status":21002}"#, #"{"status":21002}"#)
        #expect(Self.isRefused(refused) && twice.asked.count == 2)
    }

    @Test func `each status has one meaning, whatever comes with it`() async {
        let away: [String?] = [
            nil, "", "<html>", "[]", "{}", #"{"status":null}"#, #"{"status":21005}"#, #"{"status":21008}"#,
            #"{"status":21009}"#, #"{"status":21100,"is_retryable":true}"#, #"{"status":21199,"is-retryable":"true"}"#,
            #"{"status":"21150","is_retryable":"1"}"#,
        ]
        for body in away {
            let (answer, server) = await Self.ask(body)
            #expect(answer == .failure(.away) && server.asked.count == 1, "\(body ?? "")")
        }
        for status in [21000, 21001, 21003, 21010, 21100, 21150, 21199, 21200, 99, -1] {
            let (answer, server) = await Self.ask(#"{"status":\#(status)}"#)
            #expect(Self.isRefused(answer) && server.asked.count == 1, "\(status)")
        }
        let (answer, _) = await Self.ask(#"{"status":21004,"receipt":{"in_app":[{"transaction_id":"1"}]}}"#)
        #expect(answer == .failure(.secretNotAccepted))
        let (looping, server) = await Self.ask(#"{"status":21007}"#, #"{"status":21007}"#, Self.whole)
        #expect(Self.isRefused(looping) && server.asked == [.production, .sandbox])
    }

    private static func isRefused(_ answer: Result<ReceiptAnswer, ReceiptAnswer.Failure>) -> Bool {
        guard case .failure(.refused(let error)) = answer else { return false }
        return error.reason == .malformed
    }
}
