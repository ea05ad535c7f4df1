import AppStore
import Entitlements
import Foundation
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import Gatepass

extension EndToEnd {
    /// The simulated App Store of a development server: to Apple's own client it is one, and to the server both of its
    /// environments are apart.
    @Suite struct SimulatedApple {
        private static let (app, plan, user) = ("com.airport.vpn", "annual.3", "anna")

        /// Our own client, asking the simulated App Store.
        private struct Ours: AppStoreServer {
            let installation: DevelopmentInstallation
            let token: String

            func ask(
                _ question: AppStoreQuestion, about app: AppID, in environment: StoreEnvironment
            ) async throws(AppStoreServerFailure) -> [UInt8] {
                let answer: EndToEndAnswer
                do {
                    answer = try await installation.send(
                        HTTPMethod(rawValue: question.method),
                        "/dev/apple/\(environment.rawValue.lowercased())" + question.path,
                        question.body.map { Data($0) }, bearing: token)
                } catch {
                    throw .unreachable("\(error)")
                }
                guard (200..<300).contains(answer.status) else {
                    throw AppStoreServerFailure(
                        status: answer.status, retryAfter: answer.headers.first(name: "Retry-After"),
                        body: answer.body, at: Instant(milliseconds: EndToEnd.now))
                }
                return answer.body
            }

            /// The ids of all transactions in a history, and the lengths of its pages. Throws when it is not answered.
            func history(of transaction: String) async throws -> (ids: [String], pages: [Int]) {
                var (ids, pages, revision): ([String], [Int], String?) = ([], [], nil)
                while true {
                    let page = try await history(
                        of: transaction, after: revision, about: AppID(SimulatedApple.app), in: .sandbox)
                    ids += try page.signed.map { try SimulatedApple.member("transactionId", of: $0.text) }
                    pages.append(page.signed.count)
                    revision = page.revision
                    guard page.hasMore else { return (ids, pages) }
                }
            }
        }

        /// A member of the payload of a signed text. Throws when there is none.
        private static func member(_ name: String, of text: String) throws -> String {
            let payload = EndToEnd.decoded(String(text.split(separator: ".")[1]))
            return try #require(JSONValue(StrictJSON(Array(payload.utf8), boundsNames: false))[name]?.string)
        }

        /// Sells 44 passes and a plan to one Apple account, of which the server hears nothing; the ids of the first
        /// pass and of the plan. Throws when a file cannot be written.
        private static func sell(in directory: String) throws -> (pass: String, plan: String) {
            let installation = Installation(path: directory)
            for number in 0..<44 {
                let at = EndToEnd.now - EndToEnd.day + Int64(number) * 1_000
                try SoldPurchase(
                    transactionID: "20000000000\(100 + number)", user: user, product: "pass.30",
                    type: ProductType.nonRenewingSubscription.rawValue, bundleID: app, purchasedAt: at, quantity: 1,
                    environment: "Sandbox", appleAccount: nil, accountToken: nil, signedAt: at, delivered: false
                ).keep(in: installation)
            }
            let (sold, _) = SimulatedSubscription.begin(
                .init(plan, as: "3000000000001", until: EndToEnd.now + 30 * EndToEnd.day),
                by: .init(
                    bundleId: app, subscriptionGroup: "plans",
                    appTransactionId: SoldPurchase.appTransactionID(of: user)),
                at: EndToEnd.now)
            try KeptSubscription(user: user, days: nil, subscription: sold).keep(in: installation)
            return ("20000000000100", "3000000000001")
        }

        /// Asks with Apple's own client. Throws when it cannot be run.
        private static func ask(
            _ installation: DevelopmentInstallation, about sold: (pass: String, plan: String), until: Int64
        ) async throws -> JSONValue {
            let folder = installation.directory
            let question: [String: Any] = [
                "address": "http://127.0.0.1:\(installation.server.port)/dev/apple/sandbox", "environment": "Sandbox",
                "key": folder + "/app-store-key.p8", "key_id": "DEVELOPMENT", "issuer_id": "tests", "bundle_id": app,
                "apple_id": 1_234_567_890, "root": folder + "/authority/root.pem", "transaction": sold.pass,
                "plan": sold.plan, "order": "M" + sold.pass, "token": "7e3fb20b-4cdb-47cc-936d-99d65f608138",
                "from": 0, "until": until,
            ]
            let files = (folder + "/question.json", folder + "/answer.json", folder + "/apple-library.log")
            try JSONSerialization.data(withJSONObject: question).write(to: URL(fileURLWithPath: files.0))
            do {
                try await blocking {
                    try ChildProcess.run(
                        [TestRun.repository + "/scripts/apple-library/run", "ask.py", files.0, files.1], log: files.2)
                }
            } catch {
                Issue.record("\((try? String(contentsOfFile: files.2, encoding: .utf8)) ?? "")")  // nothing was said
                throw error
            }
            return JSONValue(
                try StrictJSON(Array(try Data(contentsOf: URL(fileURLWithPath: files.1))), boundsNames: false))
        }

        private static func texts(_ list: JSONValue?) -> [String?] {
            (list?.elements ?? []).map { $0.string ?? $0.integer }
        }

        @Test func `Apple's own client gets from it what ours gets`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let sold = try Self.sell(in: installation.directory)
            for kind in ["TEST", "TEST"] {
                #expect(try await installation.simulate(["notify", kind]).status == 0)
            }
            let until = EndToEnd.now + EndToEnd.day
            let theirs = try await Self.ask(installation, about: sold, until: until)
            let ours = Ours(installation: installation, token: try await installation.appStoreToken())
            let id = AppID(Self.app)

            #expect(
                Self.texts(theirs["transaction"]) == [sold.pass, "pass.30", "7e3fb20b-4cdb-47cc-936d-99d65f608138"])
            let history = try await ours.history(of: sold.pass)
            #expect(Self.texts(theirs["history"]?["ids"]) == history.ids && history.ids.count == 45)
            #expect(Self.texts(theirs["history"]?["pages"]) == history.pages.map(String.init))
            #expect(history.pages == [20, 20, 5] && history.ids.last == sold.pass, "what changed last is listed last")
            #expect(theirs["history"]?["bundle_id"]?.string == Self.app)
            #expect(theirs["history"]?["environment"]?.string == "Sandbox")
            let chains = try await ours.statuses(of: sold.plan, about: id, in: .sandbox).chains
            #expect(chains.map(\.originalTransactionId) == [sold.plan])
            #expect(
                (theirs["statuses"]?.elements ?? []).map(Self.texts)
                    == [["plans", sold.plan, "ACTIVE", sold.plan, Self.plan]])
            let order = try #require(
                OrderAnswer(try await ours.ask(.order("M" + sold.pass), about: id, in: .production)))
            let ordered = try order.signed.map { try Self.member("transactionId", of: $0.text) }
            #expect(theirs["order"]?.elements?.first?.string == "VALID" && ordered == [sold.pass])
            #expect(Self.texts(theirs["order"]?.elements?.last) == ordered)
            #expect(theirs["no_order"]?.elements?.first?.string == "INVALID")
            #expect(theirs["no_order"]?.elements?.last?.elements?.isEmpty == true)
            #expect(theirs["test"]?["type"]?.string == "TEST")
            #expect(Self.texts(theirs["test"]?["attempts"]) == ["SUCCESS"])
            let page = try await ours.notifications(
                of: id, in: .sandbox, from: Instant(milliseconds: 0), to: Instant(milliseconds: until), after: nil)
            let uuids = try page.signed.map { try Self.member("notificationUUID", of: $0.text) }
            #expect(Self.texts(theirs["notifications"]?["uuids"]) == uuids && uuids.count == 3 && page.token == nil)
            #expect(theirs["test"]?["uuid"]?.string == uuids.last)

            for (name, refusal) in [
                ("transaction", ["404", "4040010", "TRANSACTION_ID_NOT_FOUND"]),
                ("history", ["404", "4040010", "TRANSACTION_ID_NOT_FOUND"]),
                ("statuses", ["404", "4040010", "TRANSACTION_ID_NOT_FOUND"]),
                ("consent", ["400", "4000035", "INVALID_CUSTOMER_CONSENTED"]),
                ("token", ["400", "4000183", "INVALID_APP_ACCOUNT_TOKEN_UUID_ERROR"]),
                ("test", ["404", "4040008", "TEST_NOTIFICATION_NOT_FOUND"]),
                ("no_test", ["400", "4000020", "INVALID_TEST_NOTIFICATION_TOKEN"]),
                ("dates", ["400", "4000013", "START_DATE_AFTER_END_DATE"]),
            ] {
                #expect(Self.texts(theirs["refusals"]?[name]) == refusal, "\(name)")
            }
        }

        @Test func `what was bought in one environment is unknown in the other, which sends the server there`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let lost = try await installation.simulate(["lose", "--user", "ben", "--json"])
            let paid = try await installation.simulate(
                ["lose", "--user", "cleo", "--environment", "Production", "--json"])
            let (sandbox, production) = (
                try #require(lost.string("transaction_id")), try #require(paid.string("transaction_id"))
            )
            let ours = Ours(installation: installation, token: try await installation.appStoreToken())
            let id = AppID(Self.app)
            for (transaction, known, unknown) in [
                (sandbox, StoreEnvironment.sandbox, StoreEnvironment.production), (production, .production, .sandbox),
            ] {
                _ = try await ours.ask(.transaction(transaction), about: id, in: known)
                #expect(try await ours.ask(.history(of: transaction, after: nil), about: id).environment == known)
                for question in [
                    AppStoreQuestion.transaction(transaction), .history(of: transaction, after: nil),
                    .statuses(of: transaction),
                    .accountToken(
                        of: transaction,
                        body: Array(
                            #"{"appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138"}"#.utf8)),
                ] {
                    await #expect(throws: AppStoreServerFailure.refused(code: 4_040_010), "\(question)") {
                        try await ours.ask(question, about: id, in: unknown)
                    }
                }
            }
            func faults(_ body: String) async throws {
                let answer = try await installation.send(.POST, "/dev/apple/faults", Data(body.utf8), bearing: "")
                #expect(answer.status == 200, "\(answer.text)")
            }
            try await faults(#"{"unapproved":true}"#)
            await #expect(throws: AppStoreServerFailure.keyNotAccepted) {
                try await ours.ask(.transaction(production), about: id, in: .production)
            }
            #expect(try await ours.ask(.transaction(sandbox), about: id).environment == .sandbox)
            let doctor = try await installation.run(["doctor"])
            #expect(
                doctor.status == 0 && doctor.text.contains("in the Sandbox alone for \(Self.app)"), "\(doctor.text)")
            try await faults(#"{"status":429,"times":1}"#)
            let busy = try await installation.send(
                .GET, "/dev/apple/sandbox/inApps/v1/transactions/1", bearing: ours.token)
            #expect(busy.status == 429 && busy.integer("errorCode") == 4_290_000, "\(busy.text)")
            for path in ["/dev/apple/xcode/inApps/v1/transactions/1", "/dev/apple/inApps/v1/transactions/1"] {
                #expect(try await installation.send(.GET, path, bearing: ours.token).status == 404, "\(path)")
            }
        }

        @Test func `a receipt of iOS 6 is looked up by the simulated verifyReceipt, which makes faults too`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open(adding: "apple: {shared_secret: not-used-here}")
            defer { installation.close() }
            let lost = try await installation.simulate(["lose", "--user", "ben", "--json"])
            let id = try #require(lost.string("transaction_id"), "\(lost.text)")
            let printed = try await installation.simulate(["receipt", "--user", "ben", "--transaction", id])
            #expect(printed.status == 0, "\(printed.text)")
            let body = try JSONEncoder().encode(["receipt_data": printed.text.filter { !$0.isWhitespace }])
            func show() async throws -> EndToEndAnswer {
                try await installation.send(.POST, "/api/iap/apple/receipts", body, as: "ben")
            }
            let fault = Data(#"{"status":503,"times":1}"#.utf8)
            #expect(try await installation.send(.POST, "/dev/apple/faults", fault, bearing: "").status == 200)
            let away = try await show()
            #expect(away.status == 503, "\(away.text)")
            let shown = try await show()
            #expect(shown.status == 200 && shown.string("history") == "complete", "\(shown.text)")
            #expect(shown.string("results.0.outcome") == "attached", "\(shown.text)")
            let bought = try await installation.send(.GET, "/api/iap/purchases", as: "ben")
            #expect(bought.count("data") == 1, "\(bought.text)")
            #expect(try await installation.simulate(["receipt", "--user", "nobody"]).status == 1)
        }
    }
}
