import Entitlements
import Testing

@testable import AppStore

/// Questions to the App Store Server API, and what Apple's answers mean (`apple.md` §10).
struct AppStoreServerTests {
    /// Answers each question with the same text.
    private struct Server: AppStoreServer {
        let body: String

        func ask(
            _ question: AppStoreQuestion, about app: AppID, in environment: StoreEnvironment
        ) async throws(AppStoreServerFailure) -> [UInt8] {
            Array(body.utf8)
        }

        func history() async throws(AppStoreServerFailure) -> HistoryPage {
            try await history(of: "1", after: nil, about: AppID("com.example.app"), in: .sandbox)
        }
    }

    private static let now = Instant(milliseconds: 1_768_478_400_000)

    private static func failure(
        _ status: Int, _ body: String = "", retryAfter: String? = nil
    ) -> AppStoreServerFailure {
        AppStoreServerFailure(status: status, retryAfter: retryAfter, body: Array(body.utf8), at: now)
    }

    @Test func `a question about the history has the transaction in its path, and the page's revision`() {
        #expect(
            AppStoreQuestion.history(of: "2000000000000001", after: nil).path
                == "/inApps/v2/history/2000000000000001?sort=ASCENDING")
        #expect(
            AppStoreQuestion.history(of: "a/../b", after: "x=&é").path
                == "/inApps/v2/history/a%2F..%2Fb?sort=ASCENDING&revision=x%3D%26%C3%A9")
    }

    @Test func `a page has the texts in their order and says where it ends`() async throws {
        let page = try await Server(
            body: #"{"revision":"r2","hasMore":true,"bundleId":"b","signedTransactions":["one","two"],"more":{}}"#
        ).history()
        #expect(page.signed.map(\.text) == ["one", "two"] && page.revision == "r2" && page.hasMore)
    }

    @Test func `an answer without a list, a revision or a word on more is unreadable`() async {
        for body in [
            "", "[]", "{", #"{"revision":"r","hasMore":true}"#, #"{"hasMore":true,"signedTransactions":[]}"#,
            #"{"revision":"r","signedTransactions":[]}"#, #"{"revision":"r","hasMore":"no","signedTransactions":[]}"#,
            #"{"revision":"r","hasMore":false,"signedTransactions":["one",2]}"#,
            #"{"revision":7,"hasMore":false,"signedTransactions":[]}"#,
        ] {
            await #expect(throws: AppStoreServerFailure.unreadable, "\(body)") {
                try await Server(body: body).history()
            }
        }
    }

    @Test func `errors are known by their code, and only some pass`() {
        let retryable = [4_040_002, 4_040_004, 4_040_006]
        let lasting = [4_000_006, 4_040_001, 4_040_003, 4_040_005, 4_040_010, 4_000_187]
        for code in retryable + lasting {
            let failure = Self.failure(code / 10_000, #"{"errorCode":\#(code),"errorMessage":"m"}"#)
            #expect(failure == .refused(code: code) && !failure.isPassing, "\(code)")
            #expect(failure.isFinal == lasting.contains(code), "\(code)")
        }
        for (status, body) in [
            (500, #"{"errorCode":5000000}"#), (500, #"{"errorCode":5000001}"#), (599, #"{"errorCode":9990000}"#),
            (503, "<html>"), (404, "<html>"), (403, ""),
        ] {
            let failure = Self.failure(status, body)
            #expect(failure.isPassing && !failure.isFinal, "\(status) \(body)")
        }
        #expect(Self.failure(400, #"{"errorCode":9990000}"#) == .refused(code: 9_990_000))
        #expect(Self.failure(401) == .keyNotAccepted && Self.failure(401).isPassing)
        #expect(!AppStoreServerFailure.unreadable.isFinal && !AppStoreServerFailure.unreadable.isPassing)
    }

    @Test func `a pause ends at the instant that Apple names in milliseconds, within a second and an hour`() {
        let ends = [
            ("1768478430000", Self.now + 30_000), ("1", Self.now + 1_000), ("30", Self.now + 1_000),
            ("9999999999999", Self.now + 3_600_000), ("soon", Self.now + 60_000), (nil, Self.now + 60_000),
        ]
        for (field, end) in ends {
            let failure = Self.failure(429, #"{"errorCode":4290000}"#, retryAfter: field)
            #expect(failure == .paused(until: end) && failure.isPassing, "\(field ?? "none")")
        }
    }
}
