import Entitlements
import LedgerStore
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// A preview says what an act would do, and does nothing (`api.md`, "Previews").
struct PreviewTests {
    private static let users = ["u1", "u2", "u3"]

    /// A request of a server, and the people whose status its preview shows.
    private struct Act {
        var method = "POST"
        let path: String
        var body: String?
        var people: Set<String> = []
    }

    /// A history that grows by random acts.
    private struct World {
        var chance: SeededChance
        let server: TestServer
        /// The purchases that were sold, and the grants and reservations that were made.
        var sold: [String] = []
        var grants = ["no-grant"]
        var reservations = ["no-reservation"]
        var made = 0

        mutating func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &chance)]
        }

        mutating func sell() async throws {
            made += 1
            let (id, user) = ("p\(made)", pick(users))
            switch Int.random(in: 0...3, using: &chance) {
            case 0: try await server.sellCredits(id, to: user)
            case 1: try await server.sellBefore(days: 40, as: id, to: user)
            case 2: try await server.sell("addon", as: id, .addOn, to: user)
            default: try await server.sell("pass.30d", as: id, .pass, to: user)
            }
            sold.append(id)
        }

        mutating func act() -> Act {
            let (user, other) = (pick(users), pick(users))
            let path = "/api/admin/users/\(user)"
            let purchase = #""external_id":"\#(pick(sold))","reason":"r""#
            let device = path + "/devices/d\(Int.random(in: 0...2, using: &chance))"
            let number = Int.random(in: 1...60, using: &chance)
            switch Int.random(in: 0...17, using: &chance) {
            case 0:
                let members = #""kind":"add_days","tier":"pro","days":\#(number),"reason":"r","reference":"t""#
                return Act(path: path + "/grants", body: "{\(members)}", people: [user])
            case 1:
                let members = #""kind":"credits","unit":"credit","amount":\#(number),"reason":"r","reference":"t""#
                return Act(path: path + "/grants", body: "{\(members)}", people: [user])
            case 2:
                let grant = pick(grants)
                return Act(path: path + "/grants/\(grant)/revoke", body: #"{"reason":"r"}"#, people: [user])
            case 3: return Act(path: path + "/revoke", body: "{\(purchase)}", people: [user])
            case 4: return Act(path: path + "/bind", body: "{\(purchase)}", people: [user])
            case 5:
                let receiver = #""to_user_id":"\#(other)""#
                return Act(path: path + "/transfer", body: "{\(receiver),\(purchase)}", people: [user, other])
            case 6:
                let members = #""to_user_id":"\#(other)","all":true,"reason":"r""#
                return Act(path: path + "/transfer", body: "{\(members)}", people: [user, other])
            case 7:
                let members = #""from_user_id":"\#(other)","reason":"r""#
                return Act(path: path + "/merge", body: "{\(members)}", people: [user, other])
            case 8:
                let method = pick(["PUT", "DELETE"])
                return Act(method: method, path: path + "/sandbox-tester", people: [user])
            case 9: return Act(path: path + "/make-good", body: #"{\#(purchase),"reference":"t"}"#, people: [user])
            case 10:
                let members = #""device_id":"d\#(number % 3)","name":"phone""#
                return Act(path: path + "/devices", body: "{\(members)}", people: [user])
            case 11: return Act(path: device + "/" + pick(["suspend", "reactivate", "seen"]), people: [user])
            case 12: return Act(method: "DELETE", path: device, people: [user])
            case 13:
                let members = #""amount":\#(number),"reference":"order""#
                return Act(path: path + "/credits/credit/spend", body: "{\(members)}", people: [user])
            case 14:
                let members = #""amount":\#(number),"ttl_seconds":600"#
                return Act(path: path + "/credits/credit/reservations", body: "{\(members)}", people: [user])
            case 15, 16:
                let end = pick(["commit", "release"])
                return Act(path: path + "/credits/reservations/\(pick(reservations))/\(end)", people: [user])
            default: return Act(path: path + "/erase", body: #"{"reason":"r"}"#)
            }
        }

        /// The JSON of each person's status, by a fold of the ledger, which writes nothing.
        func statuses(of people: Set<String>) async throws -> [String] {
            var statuses: [String] = []
            for user in people.sorted() {
                let timeline = Timeline(
                    folding: try await server.ledger(of: user), given: Fixture.catalogue, settings: Fixture.settings)
                let body = StatusBody(timeline.status(at: server.clock.now), StatusBody.Parts())
                statuses.append(String(decoding: body.bytes, as: UTF8.self))
            }
            return statuses
        }

        func send(_ act: Act, key: String?, isDry: Bool = false) async throws -> TestServer.Answer {
            try await server.send(
                act.method, act.path + (isDry ? "?dry_run=1" : ""), act.body, token: Fixture.apiKey(.admin),
                fields: key.map { [("Idempotency-Key", $0)] } ?? [])
        }

    }

    /// Every table but that of keys, whose last use is noted.
    private static func dump(_ server: TestServer) async throws -> [String: [[String]]] {
        var dump = try await server.open.schema.dump()
        dump["api_keys"] = nil
        return dump.mapValues { $0.map { $0.map { "\($0)" } } }
    }

    /// An answer's members but the preview and the ids that are made anew for each request.
    private static func members(of answer: TestServer.Answer) throws -> [String: String] {
        let members = try answer.status == 204 ? [] : answer.json.members ?? []
        return members.reduce(into: [:]) { members, member in
            guard member.name != "preview", member.name != "reservation_id" else { return }
            members[member.name] = String(decoding: member.value.source, as: UTF8.self)
        }
    }

    @Test func `in random histories the preview of every act is what it then does, and no byte changes before`()
        async throws
    {
        let histories = TestRun.rounds(12, soak: 500)
        try await TestServer.run { server in
            var (previewed, refused) = (0, 0)
            for history in 0..<histories {
                var world = World(chance: SeededChance("previews \(history)"), server: server)
                world.made = history * 1_000
                for _ in 0..<6 { try await world.sell() }
                for step in 0..<18 {
                    server.wait(hours: Int64.random(in: 0...30, using: &world.chance))
                    let (act, key) = (world.act(), "k\(history).\(step)")
                    let (tables, before) = try await (Self.dump(server), world.statuses(of: act.people))
                    let dry = try await world.send(act, key: key, isDry: true)
                    #expect(try await Self.dump(server) == tables, "\(act)")
                    let real = try await world.send(act, key: key)
                    guard (200..<300).contains(real.status) else {
                        #expect(dry.status == real.status && dry.code == real.code, "\(act): \(dry.body) \(real.body)")
                        refused += 1
                        continue
                    }
                    previewed += 1
                    #expect(dry.status == 200, "\(act): \(dry.body)")
                    #expect(try Self.members(of: dry) == Self.members(of: real), "\(act): \(dry.body) \(real.body)")
                    for (before, after) in zip(before, try await world.statuses(of: act.people)) {
                        #expect(dry.body.contains(#""before":\#(before),"after":\#(after)}"#), "\(act): \(dry.body)")
                    }
                    let shown = try dry.json["preview"]?["users"]?.elements?.count
                    #expect(shown == act.people.count, "\(act)")
                    let json = try real.status == 204 ? nil : real.json
                    if let id = json?["granted_at"] == nil ? nil : json?["id"]?.string { world.grants.append(id) }
                    if let id = json?["reservation_id"]?.string { world.reservations.append(id) }
                }
            }
            #expect(previewed > histories * 3 && refused > histories, "\(previewed) and \(refused)")
        }
    }

    @Test func `a preview needs the right of its act and no key, and its flag is read strictly`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass)
            let (path, body) = ("/api/admin/users/u1/revoke", #"{"external_id":"p1","reason":"r"}"#)
            let tokens = [(403, "forbidden", Fixture.apiKey(.read)), (401, "unauthenticated", Fixture.token(of: "u1"))]
            for (status, code, token) in tokens {
                try await server.expectRefusal(status, code, "POST", path + "?dry_run=1", body, token: token)
            }
            try await server.expectRefusal(
                400, "invalid_request", "POST", path + "?dry_run=yes", body, at: "?dry_run",
                token: Fixture.apiKey(.write))
            try await server.expectRefusal(
                400, "invalid_request", "POST", path + "?dry_run=0", body, at: "Idempotency-Key",
                token: Fixture.apiKey(.write))
            server.wait(hours: 1)
            let dry = try await server.send("POST", path + "?dry_run=1", body, token: Fixture.apiKey(.write))
            #expect(try dry.status == 200 && dry.json["revoked_at"]?.string == "2026-01-15T13:00:00Z", "\(dry.body)")
            let states = try dry.json["preview"]?["users"]?.elements?.first.map { user in
                [user["before"]?["state"]?.string, user["after"]?["state"]?.string]
            }
            #expect(states == ["active", "expired"])
            #expect(try dry.json["preview"]?["would"]?.isNull == true)
            #expect(try await server.send("GET", "/api/iap/apple/status").json["state"]?.string == "active")
        }
    }

    @Test func `a device's removal and a pass made good are previewed like any act`() async throws {
        try await TestServer.run { server in
            try await server.sellBefore(days: 40, as: "p1")
            try await server.sell("pass.30d", as: "p2", .pass)
            let user = "/api/admin/users/u1"
            func send(_ method: String, _ path: String, _ body: String?) async throws -> TestServer.Answer {
                try await server.send(
                    method, user + path, body, token: Fixture.apiKey(.write), fields: [("Idempotency-Key", path)])
            }
            #expect(try await send("POST", "/devices", #"{"device_id":"d1","name":"phone"}"#).status == 201)
            let tables = try await Self.dump(server)
            let acts = [
                ("DELETE", "/devices/d1", nil, 204),
                ("POST", "/make-good", #"{"external_id":"p1","reason":"r","reference":"t"}"#, 201),
            ]
            for (method, path, body, status) in acts {
                let dry = try await send(method, path + "?dry_run=1", body)
                #expect(dry.status == 200, "\(dry.body)")
                let user = try dry.json["preview"]?["users"]?.elements?.first
                let ends = [user?["before"]?["expires_at"]?.string, user?["after"]?["expires_at"]?.string]
                let good = status == 201 ? "2026-03-16T12:00:00Z" : "2026-02-14T12:00:00Z"
                #expect(ends == ["2026-02-14T12:00:00Z", good], "\(dry.body)")
            }
            #expect(try await Self.dump(server) == tables)
            for (method, path, body, status) in acts {
                #expect(try await send(method, path, body).status == status)
            }
        }
    }

    @Test func `of keys, deliveries and erasures a preview says in words what would happen`() async throws {
        try await TestServer.run { server in
            try await server.sell("pass.30d", as: "p1", .pass)
            let keys = try await server.open.schema.dump("api_keys").count
            func words(_ path: String, _ body: String, _ token: APIKeyScope = .admin) async throws -> String? {
                let path = "/api/admin/" + path + "?dry_run=1"
                let dry = try await server.send("POST", path, body, token: Fixture.apiKey(token))
                #expect(dry.status == 200, "\(dry.body)")
                return try dry.json["preview"]?["would"]?.string
            }
            #expect(
                try await words("api-keys", #"{"name":"shop","scopes":["read","write"]}"#)
                    == "A key named shop would be made, with the scopes read, write.")
            #expect(
                try await words("api-keys/2/revoke", "{}")
                    == "The key 2 (read) would be revoked, on every server within two seconds.")
            #expect(
                try await words("users/u1/erase", #"{"reason":"r"}"#)
                    == "Rows that would be deleted, or emptied of names: 1 of users, 1 of standings, "
                    + "1 of standing_answers, 1 of signed_texts. Facts stay.")
            #expect(try await server.open.schema.dump("api_keys").count == keys)
            let revoked = try await server.send(
                "POST", "/api/admin/api-keys/2/revoke?dry_run=1", "{}", token: Fixture.apiKey(.admin))
            #expect(try revoked.json["revoked_at"]?.isNull == true, "a preview shows the key as it stands")
            for (path, body) in [
                ("api-keys/99/revoke", "{}"), ("webhooks/99/replay", "{}"), ("users/nobody/erase", #"{"reason":"r"}"#),
            ] {
                try await server.expectRefusal(
                    404, "not_found", "POST", "/api/admin/\(path)?dry_run=1", body, token: Fixture.apiKey(.admin))
            }
        }
    }
}
