import AppStore
import Glibc
import MariaDB
import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// The server or its database dies, or is told to end, while it is at work (`threats.md` F1, F2, F19, F23, F24).
    @Suite struct Failing {
        @Test func `every purchase acknowledged before kill -9 of the server is there after it, once`() async throws {
            let server = try await EndToEndServer.start()
            let load = EndToEndLoad(server)
            var chance = SeededChance("kill -9 of the server")
            let kills = TestRun.rounds(10, soak: 500)
            for _ in 0..<kills {
                let (more, pause) = (Int.random(in: 3...12, using: &chance), Int.random(in: 0...120, using: &chance))
                try await load.run(workers: 6, untilFault: true) {
                    try await load.waitForAcknowledgements(more)
                    try await Task.sleep(for: .milliseconds(pause))
                    #expect(try await server.end(by: SIGKILL) == 128 + SIGKILL)
                }
                try await server.boot()
            }
            #expect(load.acknowledged.count >= 3 * kills)
            try await load.expectKept()
            #expect(try await server.end() == 0)
        }

        @Test func `with the database away the server lives, says so, and heals by itself`() async throws {
            let mariaDB = try await Self.ownDatabase()
            let server = try await EndToEndServer.start(database: mariaDB)
            let load = EndToEndLoad(server)
            var healing: [Duration] = []
            for _ in 0..<TestRun.rounds(3, soak: 200) {
                try await load.run(workers: 4, untilFault: false) {
                    try await load.waitForAcknowledgements(10)
                    try await blocking { mariaDB.kill() }
                    try await expectUnavailable(server)
                    try await blocking { try mariaDB.boot() }
                    let isBack = ContinuousClock.now
                    while try await server.attach(server.sign(EndToEndServer.pass(at: now)), as: "healing").status
                        != 200
                    {
                        guard isBack.duration(to: .now) < .seconds(60) else {
                            throw EndToEndServer.Failure(log: server.log)
                        }
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    healing.append(isBack.duration(to: .now))
                    #expect(await server.answers("/readyz") == 200)
                    try await load.waitForAcknowledgements(10)
                }
            }
            print("healed within", healing)
            #expect(load.refusals > 0)
            try await load.expectKept()
            #expect(try await server.end() == 0)
            mariaDB.kill()
        }

        @Test func `a server that starts before its database waits for it`() async throws {
            let mariaDB = try await Self.ownDatabase()
            let server = try await EndToEndServer(database: mariaDB)
            try await blocking { mariaDB.kill() }
            try await server.launch()
            let start = ContinuousClock.now
            while await server.answers("/livez") != 200, start.duration(to: .now) < .seconds(60) {
                try await Task.sleep(for: .milliseconds(25))
            }
            try await expectUnavailable(server)
            #expect(try await server.send("GET", "/api/iap/apple/products").count("products") == 5)
            try await blocking { try mariaDB.boot() }
            let isBack = ContinuousClock.now
            while await server.answers("/readyz") != 200, isBack.duration(to: .now) < .seconds(60) {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await server.attach(server.sign(EndToEndServer.pass(at: now)), as: "early").status == 200)
            // Without a database a signal still ends it.
            try await blocking { mariaDB.kill() }
            #expect(try await server.end() == 0)
        }

        @Test func `what was accepted before SIGTERM is answered, and then the end comes`() async throws {
            let server = try await EndToEndServer.start()
            for round in 0..<TestRun.rounds(3, soak: 200) {
                if round > 0 { try await server.boot() }
                let bodies = try (0..<6).map { _ in
                    try (0..<20).map { _ in
                        SimulatedPayload.quoted(try server.sign(EndToEndServer.pass(at: now - day)))
                    }
                }
                let answered = EndToEndCounter()
                let blocker = try await Connection.open(server.schema.settings)
                try await blocker.with { (session) throws(DatabaseError) in
                    try session.run(SQLStatement("block", "LOCK TABLES users WRITE"))
                }
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for (number, items) in bodies.enumerated() {
                        group.addTask {
                            let answer = try await server.restore(items, as: "leaver\(round)-\(number)")
                            answered.add()
                            #expect(answer.integer("summary.attached") == 20)
                            return answer.status
                        }
                    }
                    try await waitUntilOneIsBlocked(server.schema)
                    #expect(answered.count == 0)
                    async let status = server.end()
                    try await Task.sleep(for: .milliseconds(200))
                    #expect(answered.count == 0)
                    await blocker.close()
                    #expect(try await status == 0)
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses == Array(repeating: 200, count: 6))
                #expect(await server.answers("/livez") == nil)
            }
            try await expectOnceEach(server.schema)
        }

        @Test func `nothing that was signed or secret stands in the log`() async throws {
            let server = try await EndToEndServer.shared
            let jws = try server.sign(EndToEndServer.pass(at: now - day))
            let token = EndToEndServer.token(of: "canary")
            try await server.attach(jws, as: "canary")
            try await server.attach(String(jws.dropLast(2)), as: "canary")
            try await server.restore([SimulatedPayload.quoted(jws), "7"], as: "canary")
            try await server.send("GET", "/api/billing/subscriptions/check/" + jws, as: "canary")
            try await server.send("GET", "/api/iap/apple/status?token=\(token)&jws=\(jws)", as: "canary")
            try await server.send("GET", "/nowhere/" + jws, as: "canary")
            try await server.send(
                "GET", "/livez", fields: [("X-Request-Id", String(token.prefix(80))), ("Cookie", token)])
            try await server.send("GET", "/livez", fields: [("X-Request-Id", "the-last-line")])
            // Lines are gathered for a while before they are written.
            let start = ContinuousClock.now
            while !server.log.contains("the-last-line"), start.duration(to: .now) < .seconds(60) {
                try await Task.sleep(for: .milliseconds(25))
            }
            let log = server.log
            let lines = log.split(separator: "\n")
            #expect(lines.count { $0.contains("\"route\":\"/api/iap/apple/transactions/attach\"") } >= 2)
            #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
            let segments = (jws.split(separator: ".") + token.split(separator: ".")).map { $0.prefix(32) }
            for secret in segments + ["eyJ", "Bearer", EndToEndServer.secret[...], "canary"] {
                #expect(!log.contains(secret), "\(secret)")
            }
        }

        /// Liveness answers, readiness does not, and clients are told to come back.
        private func expectUnavailable(_ server: EndToEndServer) async throws {
            var (tries, ready) = (0, await server.answers("/readyz"))
            while ready != 503, tries < 100 {
                try await Task.sleep(for: .milliseconds(20))
                (tries, ready) = (tries + 1, await server.answers("/readyz"))
            }
            #expect(ready == 503)
            #expect(await server.answers("/livez") == 200)
            let answer = try await server.attach(server.sign(EndToEndServer.pass(at: now - day)), as: "waiting")
            #expect(answer.status == 503)
            #expect(answer.string("code") == "unavailable")
            #expect(answer.headers.first(name: "Retry-After").flatMap { Int($0) } ?? 0 > 0)
            #expect(try await server.status(of: "waiting").status == 503)
            let restored = try await server.restore(["\"x\""], as: "waiting")
            #expect(restored.status == 503)
            // A store sends it again; 404 would say that nothing is sold here.
            let told = try server.notification(.oneTimeCharge, about: EndToEndServer.pass(at: now - day))
            #expect(try await server.deliver(told).status == 503)
        }

        /// One batch waits for the table, and the requests behind it have had time to get into line.
        private func waitUntilOneIsBlocked(_ schema: TestSchema) async throws {
            let waiting = """
                SELECT COUNT(*) FROM information_schema.processlist
                WHERE db = DATABASE() AND state LIKE 'Waiting for table%'
                """
            for _ in 0..<100 where try await schema.number(waiting) == 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            try await Task.sleep(for: .milliseconds(300))
            #expect(try await schema.number(waiting) > 0)
        }

        private static func ownDatabase() async throws -> PrivateMariaDB {
            var options = PrivateMariaDB.Options()
            options.skipsGrants = true
            return try await PrivateMariaDB.start(options)
        }
    }
}
