import StoreSimulator
import StrictJSON
import Support
import Testing

/// One person of the oracle before the server: what was told, and what was answered.
struct OracleVisit {
    let backend: EndToEndBackend
    let person: OraclePerson
    /// What the oracle is told: all that the server took.
    private(set) var lines: [String] = []
    /// What the server said at each instant.
    private(set) var statuses: [(instant: Int64, status: [String])] = []
    /// What it said of the present, between two instants.
    private(set) var check: (from: Int64, until: Int64, answer: EndToEndAnswer)?
    private var grants: [String] = []

    /// Throws when no whole answer came.
    init(_ number: Int, at now: Int64, to backend: EndToEndBackend) async throws {
        self.backend = backend
        let name = OraclePerson.name(number)
        let token = number % 3 == 0 ? try await backend.server.accountToken(of: name) : nil
        person = try OraclePerson(number, at: now, accountToken: token, signedBy: backend.server.authority)
        if let token { note(("token", SimulatedPayload.quoted(token))) }
    }

    private mutating func note(_ members: (name: String, json: String)..., by user: String? = nil) {
        let all = members + [("user", SimulatedPayload.quoted(user ?? person.name))]
        lines.append(
            "{" + all.map { SimulatedPayload.quoted($0.name) + ":" + $0.json }.joined(separator: ",") + "}")
    }

    // MARK: Telling

    /// Tells the server. Throws when no whole answer came.
    mutating func tell(_ tellings: [OraclePerson.Telling]) async throws {
        for telling in tellings { try await tell(telling) }
    }

    private mutating func tell(_ telling: OraclePerson.Telling) async throws {
        let server = backend.server
        switch telling {
        case .attach(let text):
            note(("attach", SimulatedPayload.quoted(text)))
            let answer = try await server.attach(text, as: person.name)
            #expect(answer.status == 200, "\(person.name): \(answer.text)")
        case .theft(let text):
            note(("attach", SimulatedPayload.quoted(text)), by: "thief")
            let answer = try await server.attach(text, as: "thief")
            #expect(answer.status == 409, "\(person.name): \(answer.text)")
        case .notification(let payload):
            note(("notification", SimulatedPayload.quoted(payload)))
            #expect(try await server.deliver(payload: payload).status == 200)
        case .card(let event):
            note(("event", SimulatedPayload.quoted(event.body)))
            #expect(try await server.deliver(event).status == 200)
        case .grant(let gift):
            let answer = try await backend.grant(gift, to: person.name)
            let (id, instant) = (answer.string("id"), answer.integer("granted_at_ms"))
            guard let id, let instant else {
                Issue.record("\(gift): \(answer.text)")
                return
            }
            grants.append(id)
            note(("grant", "{\(gift)}"), ("id", SimulatedPayload.quoted(id)), ("at_ms", String(instant)))
        case .revokeGrant:
            guard let id = grants.last else { return }
            let answer = try await backend.act("grants/\(id)/revoke", for: person.name)
            noteRevoked(id, answer)
        case .revokePurchase(let id):
            let body = #"{"external_id":"\#(id)","reason":"a test"}"#
            noteRevoked(id, try await backend.act("revoke", body, for: person.name))
        case .spend(let amount):
            let instant = EndToEnd.now
            let body = #"{"amount":\#(amount),"reference":"a thing"}"#
            let answer = try await backend.act("credits/coin/spend", body, for: person.name)
            guard answer.status == 200 else { return }
            note(("spend", #"{"unit":"coin","amount":\#(amount)}"#), ("at_ms", String(instant)))
        case .nameTester:
            try await backend.act("sandbox-tester", "{}", for: person.name, method: "PUT")
            let timeline = try await backend.look("timeline", of: person.name)
            let place = (0..<(timeline.count("data") ?? 0)).first {
                timeline.string("data.\($0).kind") == "sandbox_tester"
            }
            let instant = try #require(timeline.integer("data.\(place ?? 0).effective_at_ms"))
            note(("tester", "true"), ("at_ms", String(instant)))
        }
    }

    private mutating func noteRevoked(_ id: String, _ answer: EndToEndAnswer) {
        guard let instant = answer.integer("revoked_at_ms") else { return }
        note(("revoke", SimulatedPayload.quoted(id)), ("at_ms", String(instant)))
    }

    // MARK: Asking

    /// Asks the server at some instants, most of them where something changes, and at present. Throws when no whole
    /// answer came.
    mutating func ask() async throws {
        var chance = SeededChance("oracle questions of \(person.name)")
        var instants = Set(
            person.instants.sorted().shuffled(using: &chance).prefix(4).map {
                $0 + Int64.random(in: -1...1, using: &chance)
            })
        for span in [-150...0, 0...60] {
            let hours = Int64.random(in: Int64(span.lowerBound * 24)...Int64(span.upperBound * 24), using: &chance)
            instants.insert(person.now + hours * 3_600_000)
        }
        let from = EndToEnd.now
        instants.insert(from)
        let path = "/api/billing/subscriptions/check/" + person.name
        let answer = try await backend.server.send("GET", path, as: person.name)
        let until = EndToEnd.now
        check = (from, until, answer)
        for instant in instants.sorted() {
            let answer = try await backend.server.status(of: person.name, "?history=1&at=" + EndToEnd.rfc3339(instant))
            guard answer.status == 200, let json = try? StrictJSON(answer.body) else {
                Issue.record("\(person.name) at \(instant): \(answer.text)")
                continue
            }
            statuses.append((instant, OracleQuestions.picture(of: JSONValue(json), isPast: instant < from)))
        }
        let asked = (instants.union([until])).sorted().map(String.init).joined(separator: ",")
        note(("ask", "[\(asked)]"))
    }

    // MARK: Comparing

    /// What the server says otherwise than the oracle; empty if they agree.
    func differences(from oracle: [Int64: OracleQuestions.Answer]) -> [String] {
        var found: [String] = []
        guard let check, let before = oracle[check.from]?.check, let after = oracle[check.until]?.check else {
            return ["nothing was said of the present"]
        }
        for (instant, status) in statuses {
            guard let answer = oracle[instant] else { return ["nothing is said about \(instant)"] }
            let other = OracleQuestions.picture(of: answer.status, isPast: instant < check.from)
            let lines = Set(status).subtracting(other).sorted().map { "server " + $0 }
            let others = Set(other).subtracting(status).sorted().map { "oracle " + $0 }
            if status != other { found += ["at \(EndToEnd.rfc3339(instant)) (\(instant))"] + lines + others }
        }
        if !Self.agree(check.answer, before), !Self.agree(check.answer, after) {
            found += [
                "check", "server " + check.answer.text, "oracle " + String(decoding: before.source, as: UTF8.self),
            ]
        }
        return found
    }

    /// Where nothing has ever covered, the documents do not say which purchase is named.
    private static func agree(_ answer: EndToEndAnswer, _ check: JSONValue) -> Bool {
        let hasCovered = check["wins"]?.elements?.isEmpty == false
        let members = ["is_subscribed", "has_active_subscription", "devices", "expires_at"]
        let isSame = (members + (hasCovered ? ["status"] : [])).allSatisfy {
            OracleQuestions.text(answer[$0]) == OracleQuestions.text(check[$0])
        }
        guard hasCovered else { return isSame && ["NONE", "REVOKED"].contains(answer.string("status")) }
        return isSame
            && (check["wins"]?.elements ?? []).contains { winner in
                ["provider", "plan_id"].allSatisfy {
                    OracleQuestions.text(answer[$0]) == OracleQuestions.text(winner[$0])
                }
            }
    }

    /// What was told, each signed text as what it says.
    var story: String {
        lines.map { line in
            var line = line
            for _ in 1...2 {
                line = line.replacing(/"eyJ[\w-]+\.([\w-]+)\.[\w-]+"/) { EndToEnd.decoded(String($0.1)) }
            }
            return line
        }.joined(separator: "\n")
    }
}
