import AppStore
import Foundation
import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Every route and every command succeeds, in the build that is under test.
    @Suite struct Tour {
        @Test func `every route answers what succeeds`() async throws {
            let apple = try EndToEndApple { line in
                line.contains("/lookup/")
                    ? .init(200, #"{"status":1,"signedTransactions":[]}"#)
                    : .init(404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
            }
            defer { apple.close() }
            let settings = [
                "GATEPASS_CREDITS_USER_SPEND": "true", "GATEPASS_HTTP_METRICS_TOKEN": Self.metricsToken,
                "GATEPASS_AUTH_APPLE_ACCOUNTS_ENABLED": "true",
                "GATEPASS_STRIPE_SIGNING_SECRETS": EndToEndServer.cardSecret,
            ]
            let backend = try await EndToEndBackend.open(settings.merging(apple.settings) { own, _ in own })
            var names = try await Self.prepare(backend)
            let scraper = [("Authorization", "Bearer " + Self.metricsToken)]
            for call in EndToEndTour.open { try await Self.send(call, &names, fields: scraper, to: backend) }
            let user = names["user_id"]
            for call in EndToEndTour.own { try await Self.send(call, &names, as: user, to: backend) }
            _ = try await Self.deadJob(backend)
            let key = [("Authorization", "Bearer " + backend.secret)]
            for call in EndToEndTour.operators { try await Self.send(call, &names, fields: key, to: backend) }
            #expect(try await backend.server.end() == 0)
        }

        private static let metricsToken = "a-token-of-the-tour"

        @Test func `every command ends well`() async throws {
            let stripe = try StoreReceiver { _, _ in .init(200, #"{"data":[],"has_more":false}"#) }
            defer { stripe.stop() }
            let backend = try await EndToEndBackend.open([
                "GATEPASS_STRIPE_API_KEY": "rk_tour", "GATEPASS_STRIPE_API_BASE_URL": "http://127.0.0.1:\(stripe.port)",
            ])
            let user = "tourist" + newID()
            let pass = EndToEndBackend.sale("pass.30", at: now - day)
            #expect(try await backend.attach(pass, to: user).status == 200)
            let unowned = EndToEndBackend.sale("pass.30", at: now - day)
            let told = try backend.server.notification(.oneTimeCharge, about: unowned)
            #expect(try await backend.server.place(told) == "parked no_user")
            let delivery = try await backend.server.schema.number("SELECT MAX(id) FROM inbox_deliveries")
            let ended = EndToEndBackend.sale("pass.30", at: now - 90 * day)
            #expect(try await backend.attach(ended, to: user + ".late").status == 200)
            let storekit = backend.server.directory + "/Store.storekit"
            try EndToEndServer.write(StoreKitText.passes, to: storekit)
            var names = [
                "user": user, "key_id": "0", "delivery": "\(delivery)", "pass": pass.transactionId,
                "unowned": unowned.transactionId, "ended": ended.transactionId, "storekit": storekit,
                "job": "\(try await Self.deadJob(backend))", "secrets": backend.server.directory + "/secrets",
            ]
            for command in EndToEndTour.commands {
                let done = try await backend.server.command(Self.words(command, names))
                #expect(done.status == 0, "\(command): \(done.text)")
                #expect(done.target == (EndToEndTour.isAct(command) ? backend.server.target : nil), "\(command)")
                let answer = EndToEndAnswer(status: 200, headers: [:], body: Array(done.text.utf8))
                if let id = answer.string("id") ?? answer.integer("id").map(String.init) { names["key_id"] = id }
            }
            #expect(try await backend.server.end() == 0)
        }

        @Test func `every command on a development installation ends well, and so does its server`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            let printed = try await installation.simulate(["purchase", "--user", "tourist", "--print"])
            var names = ["jws": printed.text.filter { !$0.isWhitespace }]
            for command in EndToEndTour.simulated {
                let done = try await DevelopmentInstallation.command(
                    Self.words(command, names) + DevelopmentInstallation.options(installation.directory))
                #expect(done.status == 0, "\(command): \(done.text)")
                let target = "on development, \(installation.directory)"
                #expect(done.target == (EndToEndTour.isAct(command) ? target : nil), "\(command)")
            }
            let sold = try await installation.simulate(["lose", "--user", "tourist", "--json"])
            names["transaction_id"] = sold.string("transaction_id")
            names["order_id"] = names["transaction_id"].map { "M" + $0 }
            let token = try await installation.appStoreToken()
            names["environment"] = "sandbox"
            names["token"] = try await Self.testNotification(installation, bearing: token)
            for call in EndToEndTour.development {
                let route = call.route.split(separator: " ").map(String.init)
                let (method, path, body) = (
                    HTTPMethod(rawValue: route[0]), Self.filled(route[1] + call.query, names),
                    call.body.map { Self.filled($0, names) }
                )
                let answer = try await installation.send(method, path, body.map { Data($0.utf8) }, bearing: token)
                #expect((200..<300).contains(answer.status), "\(call.route): \(answer.text)")
                Self.keep(route[0], path, body.map { Array($0.utf8) }, answer)
            }
            #expect(await installation.server.end() == 0)
        }

        /// The token of a test notification that the simulated App Store has sent. Throws when none comes.
        private static func testNotification(
            _ installation: DevelopmentInstallation, bearing token: String
        ) async throws -> String {
            let path = "/dev/apple/sandbox/inApps/v1/notifications/test"
            let asked = try await installation.send(.POST, path, bearing: token)
            let sent = try #require(asked.string("testNotificationToken"), "\(asked.text)")
            let start = ContinuousClock.now
            while try await installation.send(.GET, path + "/" + sent, bearing: token).status != 200 {
                try #require(start.duration(to: .now) < .seconds(60), "\(installation.server.log)")
                try await Task.sleep(for: .milliseconds(100))
            }
            return sent
        }

        /// Makes a job dead that is about the newest delivery, and returns its id. Throws when the database is away.
        private static func deadJob(_ backend: EndToEndBackend) async throws -> Int {
            try await backend.server.schema.rows(
                """
                INSERT INTO jobs (kind, subject, due_at, attempts, created_at, died_at)
                SELECT 'delivery', MAX(id), 0, 8, MAX(received_at), MAX(received_at) FROM inbox_deliveries
                ON DUPLICATE KEY UPDATE died_at = VALUES(died_at)
                """)
            return try await backend.server.schema.number("SELECT MAX(id) FROM jobs WHERE died_at IS NOT NULL")
        }

        /// What the calls name: purchases that others have, and texts to attach. Throws when a purchase is refused.
        private static func prepare(_ backend: EndToEndBackend) async throws -> [String: String] {
            var names = ["unit": "credit", "device_id": "phone", "yesterday": rfc3339(now - day / 2)]
            for name in ["user_id", "guest", "friend", "late"] { names[name] = name + newID() }
            names["receipt"] = try SimulatedReceipt(["4711"], ofApp: "com.airport.vpn").text
            names["today"] = rfc3339(now - day / 4)
            let pass = EndToEndBackend.sale("pass.30", at: now - day)
            names["pass"] = pass.transactionId
            names["pass_jws"] = try backend.server.sign(pass)
            names["credits_jws"] = try backend.server.sign(EndToEndBackend.sale("credits.100", at: now - day))
            var account = SimulatedAppTransaction(bundleId: EndToEndServer.bundleID, at: now - 1_000)
            account.appTransactionId = newID()
            names["app_transaction"] = try backend.server.authority.sign(account).text
            names["notification"] = try backend.server.authority.sign(
                backend.server.notification(.oneTimeCharge, about: EndToEndBackend.sale("pass.30", at: now - day))
            ).text
            let card = CardAccount(tag: newID()).event(1, "customer.created", at: now / 1_000, ["id": "cus_1"])
            names["card_event"] = card.body
            names["card_signature"] = card.header(EndToEndServer.cardSecret, at: now / 1_000)
            let ended = EndToEndBackend.sale("pass.30", at: now - 90 * day)
            names["ended"] = ended.transactionId
            for (sale, user) in [(EndToEndBackend.sale("pass.30", at: now - day), "guest"), (ended, "late")] {
                #expect(try await backend.attach(sale, to: names[user] ?? "").status == 200)
            }
            let friend = try #require(names["friend"])
            let token = try await backend.server.send("GET", "/api/iap/apple/account-token", as: friend)
            var unowned = EndToEndBackend.sale("pass.30", at: now - day)
            unowned.appAccountToken = token.string("app_account_token")
            names["unowned"] = unowned.transactionId
            #expect(try await backend.attach(unowned, to: try #require(names["user_id"])).status == 409)
            return names
        }

        private static func send(
            _ call: EndToEndTour.Call, _ names: inout [String: String], as user: String? = nil,
            fields: [(String, String)] = [], to backend: EndToEndBackend
        ) async throws {
            let route = call.route.split(separator: " ")
            let body = call.body.map { Array(filled($0, names).utf8) }
            let signed = call.signature.map { [("Stripe-Signature", filled($0, names))] } ?? []
            let path = filled(route[1] + call.query, names)
            let answer = try await backend.server.send(
                String(route[0]), path, body, as: user, fields: fields + signed + [("Idempotency-Key", newID())])
            keep(String(route[0]), path, body, answer)
            #expect((200..<300).contains(answer.status), "\(call.route): \(answer.status) \(answer.text)")
            for (member, name) in call.learned { names[name] = answer.string(member) }
        }

        private static func keep(_ method: String, _ path: String, _ body: [UInt8]?, _ answer: EndToEndAnswer) {
            KeptAnswers.keep(
                method, path, body, answer.status, type: answer.headers.first(name: "content-type"), answer.body)
        }

        private static func words(_ command: String, _ names: [String: String]) -> [String] {
            command.split(separator: " ").map { filled($0, names) }
        }

        private static func filled(_ text: some StringProtocol, _ names: [String: String]) -> String {
            names.reduce(String(text)) { $0.replacing("{\($1.key)}", with: $1.value) }
        }
    }
}
