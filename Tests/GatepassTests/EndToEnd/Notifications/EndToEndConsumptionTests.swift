import AppStore
import Crypto
import Foundation
import Glibc
import NIOHTTP1
import StoreSimulator
import Support
import Synchronization
import Testing

extension EndToEnd {
    /// Questions of the App Store about refunds, asked of servers that are real, by an App Store that is not.
    @Suite struct Consumption {
        /// An App Store that takes what it is told, and is away while it should be.
        private final class Apple: Sendable {
            let receiver: StoreReceiver
            private let away: Switch

            private final class Switch: Sendable {
                let isOn = Mutex(false)
            }

            init() throws {
                let away = Switch()
                self.away = away
                receiver = try StoreReceiver { _, _ in
                    away.isOn.withLock { $0 } ? .init(503, "{}") : .init(202, "")
                }
            }

            func isAway(_ isAway: Bool) { away.isOn.withLock { $0 = isAway } }

            /// The paths of what it was told, in any order.
            var told: [String] {
                receiver.requests.map(\.line).filter { $0.hasPrefix("PUT ") }.sorted()
            }
        }

        /// A server that has App Store credentials, and its App Store.
        private static func open() async throws -> (backend: EndToEndBackend, apple: Apple, settings: [String: String])
        {
            let apple = try Apple()
            let directory = try PrivateMariaDB.makeDirectory()
            try EndToEndServer.write(P256.Signing.PrivateKey().pemRepresentation, to: directory + "/key.p8")
            let address = "http://127.0.0.1:\(apple.receiver.port)"
            let settings = [
                "GATEPASS_APPLE_ISSUER_ID": "issuer", "GATEPASS_APPLE_KEY_ID": "key",
                "GATEPASS_APPLE_PRIVATE_KEY_FILE": directory + "/key.p8", "GATEPASS_APPLE_API_BASE_URL": address,
                "GATEPASS_APPLE_SANDBOX_API_BASE_URL": address,
                "GATEPASS_APPLE_CONSUMPTION_REFUND_PREFERENCE": "grant_prorated",
            ]
            return (try await EndToEndBackend.open(settings), apple, settings)
        }

        /// Sells a pass to a user who consents, half of whose time is over.
        private static func sell(to user: String, on backend: EndToEndBackend) async throws -> SimulatedTransaction {
            let pass = EndToEndBackend.sale("pass.30", at: now - 15 * day)
            #expect(try await backend.attach(pass, to: user).status == 200)
            let consent = try await backend.server.send(
                "PUT", "/api/iap/apple/consumption-consent", Array(#"{"consented":true}"#.utf8), as: user)
            #expect(consent.status == 200, "\(consent.text)")
            return pass
        }

        private static func ask(_ pass: SimulatedTransaction, on server: EndToEndServer) async throws {
            let request = try server.notification(.consumptionRequest, about: pass.signed(at: now))
            let outcome = try await server.place(request)
            #expect(outcome == "applied" || outcome == "duplicate", "\(outcome ?? "nothing")")
        }

        /// Waits until no question is open. Throws `EndToEndServer.Failure` if one stays so.
        private static func settle(_ server: EndToEndServer) async throws {
            let start = ContinuousClock.now
            let open = "SELECT COUNT(*) FROM consumption_requests WHERE decided_at IS NULL"
            while try await server.schema.number(open) > 0 {
                guard start.duration(to: .now) < .seconds(60) else { throw EndToEndServer.Failure(log: server.log) }
                try await Task.sleep(for: .milliseconds(100))
            }
        }

        private static func path(of pass: SimulatedTransaction) -> String {
            "PUT /inApps/v2/transactions/consumption/\(pass.transactionId)"
        }

        @Test func `two servers answer each question once`() async throws {
            let (first, apple, settings) = try await Self.open()
            let second = try await first.beside(settings)
            let user = "asked-" + newID()
            var passes: [SimulatedTransaction] = []
            for _ in 0..<8 { passes.append(try await Self.sell(to: user, on: first)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, pass) in (passes + passes).enumerated() {
                    let server = place.isMultiple(of: 3) ? first.server : second.server
                    group.addTask { try await Self.ask(pass, on: server) }
                }
                try await group.waitForAll()
            }
            try await Self.settle(first.server)
            #expect(apple.told == passes.map(Self.path).sorted())
            let listed = try await first.ask("consumption-requests?state=answered&user_id=\(user)")
            #expect(listed.count("data") == 8, "\(listed.text)")
            for server in [first.server, second.server] { #expect(try await server.end() == 0) }
            apple.receiver.stop()
        }

        @Test func `a server that is killed before it could answer answers once it is back`() async throws {
            let (backend, apple, _) = try await Self.open()
            let server = backend.server
            let pass = try await Self.sell(to: "killed-" + newID(), on: backend)
            apple.isAway(true)
            try await Self.ask(pass, on: server)
            let start = ContinuousClock.now
            while apple.told.isEmpty {
                guard start.duration(to: .now) < .seconds(30) else { throw EndToEndServer.Failure(log: server.log) }
                try await Task.sleep(for: .milliseconds(50))
            }
            try await server.end(by: SIGKILL)
            #expect(try await server.schema.number("SELECT COUNT(*) FROM jobs WHERE kind = 'consumption'") == 1)
            let open = "SELECT COUNT(*) FROM consumption_requests WHERE decided_at IS NULL"
            #expect(try await server.schema.number(open) == 1)
            let before = apple.told.count
            apple.isAway(false)
            try await server.boot()
            // As when the lease of the killed server has ended.
            try await server.schema.rows("UPDATE jobs SET due_at = 0")
            try await Self.settle(server)
            #expect(apple.told == Array(repeating: Self.path(of: pass), count: before + 1))
            let body = try #require(apple.receiver.requests.last?.body)
            #expect(body.contains(#""consumptionPercentage":500"#) && body.contains("GRANT_PRORATED"), "\(body)")
            #expect(try await server.schema.number("SELECT COUNT(*) FROM jobs") == 0)
            #expect(try await server.end() == 0)
            apple.receiver.stop()
        }

        private static let silence =
            "Apple was told nothing, because the user had not allowed it; the app says that they do with "
            + "PUT /api/iap/apple/consumption-consent"

        @Test func `the simulated App Store asks, and shows what it was told, or why nothing`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            for user in ["anna", "bob"] {
                #expect(try await installation.simulate(["purchase", "--user", user]).status == 0)
            }
            let silent = try await installation.simulate(["consumption-request", "--user", "bob"])
            #expect(silent.status == 0 && silent.text.contains(Self.silence), "\(silent.text)")
            let consent = try await installation.send(
                .PUT, "/api/iap/apple/consumption-consent", Data(#"{"consented":true}"#.utf8), as: "anna")
            #expect(consent.status == 200, "\(consent.text)")
            let told = try await installation.simulate(["consumption-request", "--user", "anna"])
            #expect(told.status == 0 && told.text.contains(#""deliveryStatus":"DELIVERED""#), "\(told.text)")
            #expect(told.text.contains(#""customerConsented":true"#), "\(told.text)")
            for (user, words) in [
                ("anna", "and was told: delivered, 0 % used."),
                ("bob", "told nothing, because the user had not allowed it."),
            ] {
                let lines = try await installation.run(["user", "timeline", user]).text.split(separator: "\n")
                #expect(lines.last?.hasSuffix(words) == true, "\(lines)")
            }
            let status = try await installation.run(["user", "status", "anna", "--json"])
            #expect(status.string("refund_questions.0.state") == "answered", "\(status.text)")
        }

        @Test func `a purchase that an operator or a proof gave carries the owner's token in Apple's later texts`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let (jws, proof) = (
                try await installation.simulate(["purchase", "--user", "anna", "--print"]).text,
                try await installation.simulate(["app-transaction", "--user", "anna"]).text
            )
            let attached = try await installation.attach(
                [
                    "signedTransactionJWS": jws.filter { !$0.isWhitespace },
                    "signedAppTransaction": proof.filter { !$0.isWhitespace },
                ], as: "anna")
            #expect(attached.status == 200, "\(attached.text)")
            let start = ContinuousClock.now
            while try await installation.schema.number("SELECT COUNT(*) FROM jobs") > 0 {
                try #require(start.duration(to: .now) < .seconds(60), "\(installation.server.log)")
                try await Task.sleep(for: .milliseconds(100))
            }
            let issued = try await installation.send(.GET, "/api/iap/apple/account-token", as: "anna")
            let token = try #require(issued.string("app_account_token"))
            let later = try await installation.simulate(["refund", "--user", "anna", "--print", "--json"])
            let text = String(try #require(later.string("jws")).split(separator: ".")[1])
            var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
            base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
            let payload = String(decoding: try #require(Data(base64Encoded: base64)), as: UTF8.self)
            #expect(payload.contains(token.lowercased()), "\(payload)")
        }
    }
}
