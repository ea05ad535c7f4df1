import AppStore
import Foundation
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import Gatepass

extension EndToEnd {
    /// An app that follows `finish` and `retry` alone, in Python, while everything around it fails (`scripts/outbox`).
    @Suite struct Outbox {
        private static let users = ["ann", "ben", "cleo"]

        @Test func `an outbox that follows finish and retry alone finishes every purchase once, for its buyer`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open(
                adding: "rate_limits: {attach_per_minute: 120, restore_per_minute: 60}",
                selling: EndToEndServer.catalogue())
            defer { installation.close() }
            let faults = TestRun.rounds(80, soak: 1_000)
            let (plan, report) = (installation.directory + "/plan.json", installation.directory + "/report.json")
            try Self.write(try await Self.plan(of: faults, installation), to: plan)
            #expect(await installation.server.end() == 0)

            let log = installation.directory + "/outbox.log"
            let trial = try ChildProcess.start(
                ["env", "-C", TestRun.repository, "python3", "-B", "scripts/outbox/trial.py", plan, report], log: log)
            let status = await ServingProcess.end(of: trial)
            try #require(status == 0, "GATEPASS_TEST_SEED=\(TestRun.seed): \(Self.text(of: log))")

            let told = JSONValue(try StrictJSON(Array(Self.text(of: report).utf8)))
            let met = told["met"]
            let expected = ["ahead", "unheard", "200", "400", "401", "409", "422", "429", "503"]
            #expect(expected.filter { met?[$0] == nil } == [], "a fault that was not met proves nothing")
            let bought = told["bought"]?.elements ?? []
            let genuine = bought.filter { $0["kind"]?.string != "forged" }
            #expect(genuine.count == faults && bought.count > genuine.count)
            #expect(told["finished"]?.members?.count == faults)
            let reopened = try await DevelopmentInstallation.serving(installation.directory)
            defer { reopened.close() }
            for user in Self.users {
                let theirs = genuine.filter { $0["user"]?.string == user }.compactMap { $0["id"]?.string }
                #expect(try await Self.purchases(of: user, reopened) == theirs.sorted())
            }
        }

        /// The plan of the trial: texts signed in advance for each fault, and more that are forged. Each text
        /// of the second kind is signed an hour after the one before it, so an hour or more ahead of the clock.
        private static func plan(
            of faults: Int, _ installation: DevelopmentInstallation
        ) async throws -> [String: Any] {
            let kept = Installation(path: installation.directory)
            let authority = try kept.authority()
            var tokens: [String: String] = [:]
            for user in users {
                let answer = try await installation.send(.GET, "/api/iap/apple/account-token", as: user)
                let token = try #require(answer.string("app_account_token"))
                tokens[user] = token
            }
            let start = EndToEnd.now
            func text(_ kind: String, _ number: Int, signedAt instant: Int64) throws -> [String: String] {
                let user = users[number % users.count]
                var pass = EndToEndServer.pass(at: start - day)
                pass.appAccountToken = tokens[user]
                let text = try authority.sign(pass.signed(at: instant)).text
                let shown = kind == "forged" ? EndToEnd.Restoring.tampered(text) : text
                return ["id": pass.transactionId, "user": user, "kind": kind, "text": shown]
            }
            let numbers = 0..<faults
            let transactions =
                try numbers.map { try text("plain", $0, signedAt: start - 1_000) }
                + numbers.map { try text("ahead", $0, signedAt: start + Int64($0 + 1) * 3_600_000) }
                + numbers.map { try text("forged", $0, signedAt: start - 1_000) }
            let account = SimulatedAppTransaction(bundleId: EndToEndServer.bundleID, at: start - day)
            let port = PrivateMariaDB.freePort()
            let dev = [TestRun.program, "dev", "--port", "\(port)"]
            return [
                "command": dev + DevelopmentInstallation.options(installation.directory), "port": port,
                "directory": installation.directory, "secret": try kept.secret(), "users": users,
                "environment": [String: String](), "seed": String(TestRun.seed),
                "faults": faults, "transactions": transactions, "proof": try authority.sign(account).text,
            ]
        }

        private static func purchases(of user: String, _ installation: DevelopmentInstallation) async throws -> [String]
        {
            let token = try await installation.run(["token", user]).text.trimmingCharacters(in: .newlines)
            var (found, cursor): ([String], String?) = ([], "")
            while let place = cursor {
                let path = "/api/iap/purchases?limit=100" + (place.isEmpty ? "" : "&cursor=" + place)
                let page = try await installation.send(.GET, path, bearing: token)
                #expect(page.status == 200, "\(page.text)")
                found += (page["data"]?.elements ?? []).compactMap { $0["transaction_id"]?.string }
                cursor = page.string("next_cursor")
            }
            return found.sorted()
        }

        private static func write(_ plan: [String: Any], to path: String) throws {
            try JSONSerialization.data(withJSONObject: plan).write(to: URL(fileURLWithPath: path))
        }

        private static func text(of path: String) -> String {
            String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        }
    }
}
