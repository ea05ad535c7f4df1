import AppStore
import Glibc
import NIOHTTP1
import StoreSimulator
import Support
import Testing

@testable import Gatepass

extension EndToEnd {
    /// What a Prometheus server reads of a server that works (`docs/operations.md`).
    @Suite struct Measuring {
        private static let token = "metrics-token-canary-0123456789"

        /// The page, on the main port. Throws when no whole answer came.
        private static func page(
            of server: EndToEndServer, _ authorization: String = "Bearer " + token
        ) async throws -> EndToEndAnswer {
            try await server.send("GET", "/metrics", fields: [("Authorization", authorization)])
        }

        /// The value of a sample; nil when it is not there.
        private static func value(_ sample: String, in page: EndToEndAnswer) -> Double? {
            page.text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }
                .flatMap { Double($0.dropFirst(sample.count + 1)) }
        }

        @Test func `after real traffic promtool finds the page in order, and no name, token or id stands in it`()
            async throws
        {
            let apple = try EndToEndApple { _ in .init(404, #"{"errorCode":4040010,"errorMessage":"Not found."}"#) }
            defer { apple.close() }
            let server = try await EndToEndServer.start(
                apple.settings.merging(["GATEPASS_HTTP_METRICS_TOKEN": Self.token]) { $1 })
            let user = "canary-user-" + newID()
            let pass = EndToEndServer.pass(at: now - day)
            let jws = try server.sign(pass)
            #expect(try await server.attach(jws, as: user).status == 200)
            let forged = String(jws.dropLast(86)) + String(repeating: "A", count: 86)
            #expect(try await server.attach(forged, as: user).status == 422)
            try await server.restore([SimulatedPayload.quoted(jws), "\"canary-text\""], as: user)
            try await server.send("GET", "/api/billing/subscriptions/check/\(user)", as: user)
            try await server.send("GET", "/canary-path/\(user)")
            for method in ["CANARYMETHOD", "PROPFIND"] {
                try await server.send(method, EndToEndServer.statusPath, as: user)
            }
            var told = EndToEndServer.pass(at: now - day)
            told.appAccountToken = try await server.accountToken(of: user)
            let charge = try server.notification(.oneTimeCharge, about: told)
            #expect(try await server.place(charge) == "applied")
            #expect(try await server.place(charge) == "duplicate")
            let unowned = try server.notification(.oneTimeCharge, about: EndToEndServer.pass(at: now - day))
            #expect(try await server.place(unowned) == "parked no_user")
            _ = try await server.place(server.notification(.consumptionRequest, about: told))
            let decided = "SELECT COUNT(*) FROM consumption_requests WHERE decided_at IS NOT NULL"
            let start = ContinuousClock.now
            while try await server.schema.number(decided) == 0 {
                guard start.duration(to: .now) < .seconds(30) else { throw EndToEndServer.Failure(log: server.log) }
                try await Task.sleep(for: .milliseconds(50))
            }
            try await server.deliver(payload: "canary.payload.text")
            try await server.schema.rows(
                "INSERT INTO jobs (kind, subject, due_at, created_at, died_at) VALUES ('delivery', 999999, 1, 1, 1)")

            while try await server.schema.number("SELECT COUNT(*) FROM instances") == 0 {
                guard start.duration(to: .now) < .seconds(60) else { throw EndToEndServer.Failure(log: server.log) }
                try await Task.sleep(for: .milliseconds(50))
            }

            let page = try await Self.page(of: server)
            #expect(page.status == 200)
            #expect(page.headers.first(name: "Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
            let file = server.directory + "/page"
            try EndToEndServer.write(page.text, to: file)
            #expect(try await blocking { try Promtool.complaints(check: "metrics", of: file) } == "")
            for (name, labels) in try DocumentedMetrics.labels() {
                for sample in page.text.split(separator: "\n") where sample.hasPrefix(name + "{") {
                    let shown = sample.matches(of: /([a-z_]+)="/).map { String($0.output.1) }
                    #expect(Set(shown) == labels, "\(sample)")
                }
            }
            let absent = MetricFamily.all.filter { !page.text.contains("# TYPE \($0.name) \($0.kind.word)\n") }
            #expect(absent == [.clusterSize, .clusterConflicts, .booksFaults], "no cluster, and no night has passed")
            #expect(page.text.contains(/gatepass_instances\{node="[^"]+:\d+"\} 1\n/))
            for canary in [
                "canary", "CANARY", user, Self.token, EndToEndServer.secret, pass.transactionId, String(jws.suffix(40)),
                told.appAccountToken ?? "", charge.notificationUUID, server.directory,
            ] {
                #expect(!page.text.contains(canary), "\(canary)")
            }

            let attach = #"method="POST",route="/api/iap/apple/transactions/attach""#
            #expect(Self.value("gatepass_http_requests_total{\(attach),status=\"200\"}", in: page) == 1)
            #expect(Self.value("gatepass_http_requests_total{\(attach),status=\"422\"}", in: page) == 1)
            #expect(Self.value("gatepass_http_request_duration_seconds_count{\(attach)}", in: page) == 2)
            let strange = #"{method="GET",route="-",status="404"}"#
            #expect(Self.value("gatepass_http_requests_total" + strange, in: page) == 1)
            #expect(page.text.contains(#"{method="other",route="-",status="405"} 1"#))
            for (labels, count) in [
                (#"kind="transaction",outcome="refused",reason="signature_mismatch""#, 1),
                (#"kind="transaction",outcome="refused",reason="malformed""#, 1),
                (#"kind="notification",outcome="genuine",reason="""#, 4),
                (#"kind="notification",outcome="refused",reason="malformed""#, 1),
            ] { #expect(Self.value("gatepass_verifications_total{\(labels)}", in: page) == Double(count), "\(labels)") }
            let genuine = #"gatepass_verifications_total{kind="transaction",outcome="genuine",reason=""}"#
            #expect(try #require(Self.value(genuine, in: page)) >= 1)
            let answered = page.text.matches(of: /gatepass_deliveries_total\{.*source="apple_iap"\} (\d+)/)
            #expect(answered.compactMap { Int($0.output.1) }.reduce(0, +) == 4)
            #expect(try #require(Self.value("gatepass_batch_requests_count", in: page)) >= 3)
            #expect(Self.value("gatepass_database_up", in: page) == 1 && Self.value("gatepass_serving", in: page) == 1)
            #expect(Self.value(#"gatepass_jobs{kind="delivery",state="dead"}"#, in: page) == 1)
            #expect(Self.value(#"gatepass_jobs{kind="delivery",state="due"}"#, in: page) == 0)
            let parked = #"gatepass_inbox_deliveries{reason="no_user",source="apple_iap",state="parked"}"#
            #expect(Self.value(parked, in: page) == 1)
            let age = try #require(
                Self.value(#"gatepass_last_delivery_age_seconds{environment="Sandbox",source="apple_iap"}"#, in: page))
            #expect((0..<600).contains(age))
            let connections = ["open", "idle", "in_use"].map { "gatepass_pool_connections{state=\"\($0)\"}" }
            #expect(connections.allSatisfy { Self.value($0, in: page) != nil })
            let ready = try await server.send("GET", "/readyz")
            #expect(ready.text.contains(#""name":"deliveries","ok":true,"detail":"apple_iap "#), "\(ready.text)")
            #expect(try await server.end() == 0)
        }

        @Test func `what a job makes of a delivery is counted as what a request makes of it is`() async throws {
            let server = try await EndToEndServer.start(["GATEPASS_HTTP_METRICS_TOKEN": Self.token])
            try await server.schema.rows(
                "CREATE TRIGGER stop BEFORE UPDATE ON inbox_deliveries FOR EACH ROW SIGNAL SQLSTATE '45000'")
            let app = EndToEndServer.bundleID
            let download = try server.authority.sign(SimulatedAppTransaction(bundleId: app, at: now)).text
            let rescinded = SimulatedNotification(
                .rescindConsent, uuid: newID(), about: .appData(appTransaction: download), bundleId: app, at: now)
            #expect(try await server.deliver(rescinded).string("result") == "parked")
            try await server.schema.rows("DROP TRIGGER stop")
            try await server.schema.rows("UPDATE jobs SET due_at = 0")
            let labels = #"reason="consent_rescinded",result="ignored",source="apple_iap""#
            let start = ContinuousClock.now
            while try await Self.value("gatepass_deliveries_total{\(labels)}", in: Self.page(of: server)) != 1 {
                guard start.duration(to: .now) < .seconds(60) else { throw EndToEndServer.Failure(log: server.log) }
                try await Task.sleep(for: .milliseconds(100))
            }
            let pending = #"reason="pending",result="parked",source="apple_iap""#
            #expect(try await Self.value("gatepass_deliveries_total{\(pending)}", in: Self.page(of: server)) == 1)
            #expect(try await server.schema.counts()["delivery_mentions"] == 1, "the Apple account")
            #expect(try await server.end() == 0)
        }

        @Test func `where the clock is ahead, a job is late by real time, and a store was heard of by the clock`()
            async throws
        {
            let installation = try await DevelopmentInstallation.open(adding: "http: {metrics_token: \(Self.token)}")
            defer { installation.close() }
            // The request does not place what comes, and no worker takes the job that is to.
            for table in ["inbox_deliveries", "jobs"] {
                try await installation.schema.rows(
                    "CREATE TRIGGER stop_\(table) BEFORE UPDATE ON \(table) FOR EACH ROW SIGNAL SQLSTATE '45000'")
            }
            let advance = ["clock", "advance", "40d"]
            #expect(try await installation.run(advance).status == 0)
            let start = ContinuousClock.now
            let told = try await installation.simulate(["purchase", "--product", "pass.30", "--by-notification"])
            #expect(told.status == 0 && told.text.contains(": parked\n"), "\(told.text)")
            #expect(try await installation.run(advance).status == 0)
            let due = #"gatepass_jobs_oldest_due_age_seconds{kind="delivery"}"#
            var page = try await installation.send(.GET, "/metrics", bearing: Self.token)
            while Self.value(due, in: page) ?? 0 == 0, start.duration(to: .now) < .seconds(60) {
                try await Task.sleep(for: .milliseconds(100))
                page = try await installation.send(.GET, "/metrics", bearing: Self.token)
            }
            let elapsed = start.duration(to: .now) / .seconds(1)
            let late = try #require(Self.value(due, in: page))
            #expect(late > 0 && late < elapsed, "\(late) s of \(elapsed)")
            #expect(Self.value(#"gatepass_jobs{kind="delivery",state="due"}"#, in: page) == 1)
            let silent = try #require(
                Self.value(#"gatepass_last_delivery_age_seconds{environment="Sandbox",source="apple_iap"}"#, in: page))
            let ahead = Double(40 * day) / 1_000
            #expect((ahead..<ahead + elapsed).contains(silent), "\(silent) s")
        }

        @Test func `the page is for whoever shows the token, and for nobody where none is set`() async throws {
            let server = try await EndToEndServer.start(["GATEPASS_HTTP_METRICS_TOKEN": Self.token])
            let bare = try await server.send("GET", "/metrics")
            #expect(bare.status == 401 && bare.headers.first(name: "WWW-Authenticate") == "Bearer realm=\"gatepass\"")
            for wrong in [
                "Bearer x", "Bearer " + Self.token + "x", "Bearer " + Self.token.dropLast(), "Basic " + Self.token,
                "Bearer", "Bearer " + EndToEndServer.token(of: "u"),
            ] {
                let refused = try await Self.page(of: server, wrong)
                #expect(refused.status == 401 && refused.string("code") == "unauthenticated", "\(wrong)")
                #expect(refused.headers.first(name: "WWW-Authenticate")?.hasPrefix("Bearer ") == true)
            }
            #expect(try await Self.page(of: server, "bearer " + Self.token).status == 200)
            #expect(try await server.end() == 0)
            let shared = try await EndToEndServer.shared
            #expect(try await shared.send("GET", "/metrics").status == 404)
            #expect(try await Self.page(of: shared).status == 404)
        }

        @Test func `on a port of its own the page needs no token, and nothing else is there`() async throws {
            let port = PrivateMariaDB.freePort()
            let server = try await EndToEndServer.start(["GATEPASS_HTTP_METRICS_PORT": "\(port)"])
            #expect(try await server.send("GET", "/metrics").status == 404, "no token is set")
            let page = try await server.send("GET", "/metrics", at: port)
            #expect(page.status == 200 && Self.value("gatepass_serving", in: page) == 1)
            for path in ["/livez", "/readyz", EndToEndServer.statusPath, "/api/admin/audit"] {
                #expect(try await server.send("GET", path, at: port).status == 404, "\(path)")
            }
            #expect(try await server.send("POST", "/metrics", [], at: port).status == 405)
            #expect(try await server.end() == 0)
        }

        @Test func `while the database is away the page is served, says so and lacks what it would tell`()
            async throws
        {
            let mariaDB = try await PrivateMariaDB.start()
            let port = PrivateMariaDB.freePort()
            let server = try await EndToEndServer.start(
                ["GATEPASS_HTTP_METRICS_PORT": "\(port)"], database: mariaDB)
            let told = try server.notification(.oneTimeCharge, about: EndToEndServer.pass(at: now - day))
            #expect(try await server.place(told) == "parked no_user")
            let before = try await server.send("GET", "/metrics", at: port)
            #expect(Self.value("gatepass_database_up", in: before) == 1)
            for name in ["gatepass_jobs{", "gatepass_last_delivery_age_seconds{"] {
                #expect(before.text.contains(name), "\(name)")
            }
            try await blocking { mariaDB.kill() }
            let away = try await server.send("GET", "/metrics", at: port)
            #expect(away.status == 200 && Self.value("gatepass_database_up", in: away) == 0)
            #expect(!away.text.contains("gatepass_jobs{") && !away.text.contains("gatepass_last_delivery"))
            #expect(Self.value("gatepass_pool_waiting", in: away) != nil)
            let answered = #"{method="POST",route="\#(EndToEndServer.webhookPath)"}"#
            #expect(Self.value("gatepass_http_request_duration_seconds_count" + answered, in: away) == 1)
            #expect(try await server.end() == 0)
        }
    }
}
