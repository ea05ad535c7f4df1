import Entitlements
import LedgerStore
import MariaDB
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

@testable import EntitlementAPI

/// What the user of an Apple account has comes to the user of a login (`semantics.md` §5, *The Apple account as
/// sign-in*).
struct AdoptRouteTests {
    /// Runs `body` with a text of the account, its user and their token; the user has a pass.
    private static func withPass(
        _ body: @Sendable (AppleGate, _ text: String, _ user: String, _ token: String) async throws -> Void
    ) async throws {
        try await AppleGate.run { gate in
            let text = try gate.text()
            let (user, token) = try await gate.signedIn(text)
            #expect(try await gate.attach(Fixture.pass("1"), proof: text, token: token).status == 200)
            gate.wait(seconds: 1)
            try await body(gate, text, user, token)
        }
    }

    @Test func `everything comes once, and the account signs in alone no more`() async throws {
        try await Self.withPass { gate, text, user, token in
            let second = try await gate.signedIn(text)
            let answer = try await gate.adopt(text, as: "anna")
            let json = try answer.json
            #expect(answer.status == 200 && json["adopted"]?.flag == true, "\(answer.body)")
            #expect(json["status"]?["user_id"]?.string == "anna" && json["status"]?["active"]?.flag == true)
            #expect(try await gate.isActive(user) == false)
            for token in [token, second.token] {
                try await gate.expect(401, "signed_in_elsewhere", token: token)
                let refused = try await gate.server.send("GET", AppleGate.status, token: token)
                #expect(try refused.json["retry"]?.string == "after_sign_in")
                #expect(refused.headers.first(name: "www-authenticate")?.contains("invalid_token") == true)
            }
            gate.wait(seconds: 1)
            let fresh = try gate.text()
            for text in [text, fresh] { #expect(try await gate.signIn(text).verdict == "409 signed_in_elsewhere") }

            let dump = try await gate.rows("account_tokens", "ledger_entries", "purchases")
            let again = try await gate.adopt(fresh, as: "anna")
            #expect(try again.status == 200 && again.json["adopted"]?.flag == false)
            #expect(try again.json["status"]?["active"]?.flag == true)
            #expect(try await gate.adopt(fresh, as: "ben").verdict == "409 signed_in_elsewhere")
            #expect(
                try await gate.rows("account_tokens", "ledger_entries", "purchases") == dump)
            let told = try await gate.server.send(
                "GET", "/api/admin/users/anna/timeline", token: Fixture.apiKey(.read))
            #expect(told.body.contains("because the receiver adopted the Apple account"))
        }
    }

    @Test func `a text is adopted within ten minutes, and by nobody who signed in with one`() async throws {
        try await Self.withPass { gate, text, _, token in
            gate.wait(seconds: 599)
            let other = try await gate.signedIn(try gate.text(of: "7"))
            for token in [token, other.token] {
                let refused = try await gate.server.send("POST", AppleGate.adopt, AppleGate.body(text), token: token)
                #expect(refused.verdict == "403 own_login_required")
                #expect(try refused.json["retry"]?.string == "after_sign_in")
            }
            let dump = try await gate.server.open.schema.dump()
            gate.wait(seconds: 1)
            #expect(try await gate.adopt(text, as: "thief").verdict == "422 stale")
            #expect(try await gate.server.open.schema.dump() == dump)
            let fresh = try gate.text()
            gate.wait(seconds: 600)
            #expect(try await gate.adopt(fresh, as: "anna").json["adopted"]?.flag == true)
            #expect(try await gate.adopt(text, as: "thief").verdict == "409 signed_in_elsewhere", "before stale")
        }
    }

    @Test func `where nothing is there to merge the account is noted all the same`() async throws {
        try await AppleGate.run { gate in
            let text = try gate.text()
            let (user, token) = try await gate.signedIn(text)
            let answer = try await gate.adopt(text, as: "anna")
            #expect(try answer.status == 200 && answer.json["adopted"]?.flag == false)
            #expect(try answer.json["status"]?["user_id"]?.string == "anna")
            try await gate.expect(401, "signed_in_elsewhere", token: token)
            #expect(try await gate.signIn(text).verdict == "409 signed_in_elsewhere")
            // A purchase that came to the account's own user meanwhile, such as by an operator, comes next time.
            try await gate.server.sell("pass.30d", as: "9", .pass, to: user)
            #expect(try await gate.adopt(text, as: "anna").json["adopted"]?.flag == true)
            #expect(try await gate.isActive("anna") == true)
        }
    }

    @Test func `of many users at once one adopts`() async throws {
        try await Self.withPass { gate, text, _, _ in
            let verdicts = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<16 {
                    group.addTask { try await gate.adopt(text, as: "user\(number)").verdict }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(verdicts.count { $0 == "200" } == 1)
            #expect(verdicts.count { $0 == "409 signed_in_elsewhere" } == 15, "\(verdicts)")
            var owners = 0
            for number in 0..<16 {
                if try await gate.isActive("user\(number)") == true { owners += 1 }
            }
            #expect(owners == 1)
        }
    }

    @Test(arguments: [true, false])
    func `an operator's merge notes the account, and a later merge takes the note along`(hasPass: Bool) async throws {
        try await AppleGate.run { gate in
            let text = try gate.text()
            let (user, token) = try await gate.signedIn(text)
            if hasPass { #expect(try await gate.attach(Fixture.pass("1"), proof: text, token: token).status == 200) }
            gate.wait(seconds: 1)
            for (receiver, guest) in [("anna", user), ("anna", user), ("carol", "anna")] {
                let merged = try await gate.act("merge", on: receiver, #","from_user_id":"\#(guest)""#)
                #expect(merged.status == 200, "\(merged.body)")
                try await gate.expect(401, "signed_in_elsewhere", token: token)
                #expect(try await gate.signIn(try gate.text()).verdict == "409 signed_in_elsewhere")
            }
            #expect(try await gate.isActive("carol") == hasPass)
            #expect(try await gate.adopt(try gate.text(), as: "anna").verdict == "409 signed_in_elsewhere")
            #expect(try await gate.adopt(try gate.text(), as: "carol").json["adopted"]?.flag == false)
            #expect(try await gate.act("sign-out", on: "carol").json["apple_accounts"]?.integer == "1")
            #expect(try await gate.act("sign-out", on: "anna").json["apple_accounts"]?.integer == "0")

            gate.wait(seconds: 1)
            let back = try await gate.act("merge", on: user, #","from_user_id":"carol""#)
            #expect(back.status == 200, "\(back.body)")
            try await gate.expect(401, "unauthenticated", token: token)
            #expect(try await gate.signIn(text).verdict == "422 stale")
            #expect(try await gate.signedIn(try gate.text()).user == user)
        }
    }

    @Test func `once the adopter is erased the account signs in alone again, with a text of afterwards`() async throws {
        try await Self.withPass { gate, text, user, token in
            #expect(try await gate.adopt(text, as: "anna").status == 200)
            gate.wait(seconds: 1)
            let between = try gate.text()
            // The guest's own erasure gives the account to nobody.
            #expect(try await gate.act("erase", on: user).status == 204)
            #expect(try await gate.signIn(between).verdict == "409 signed_in_elsewhere")
            gate.wait(seconds: 1)
            #expect(try await gate.act("erase", on: "anna").status == 204)
            try await gate.expect(401, "unauthenticated", token: token)
            for text in [text, between] { #expect(try await gate.signIn(text).verdict == "422 stale") }
            let again = try await gate.signedIn(try gate.text())
            #expect(again.user == user)
            #expect(try await gate.attach(Fixture.pass("1"), proof: text, token: again.token).status == 200)
            #expect(try await gate.isActive(user) == true)
        }
    }

    @Test func `a text of before a sign-out is adopted by nobody, though it is a minute old`() async throws {
        try await Self.withPass { gate, text, user, _ in
            let signedOut = try await gate.act("sign-out", on: user)
            #expect(signedOut.status == 200)
            #expect(try await gate.adopt(text, as: "thief").verdict == "422 stale")
            #expect(try await gate.adopt(try gate.text(), as: "anna").json["adopted"]?.flag == true)
            gate.wait(seconds: 1)
            #expect(try await gate.act("sign-out", on: "anna").json["apple_accounts"]?.integer == "1")
            #expect(try await gate.adopt(text, as: "anna").verdict == "422 stale")
        }
    }

    @Test func `a search for an adopted account's user has who adopted it, also if nothing moved`() async throws {
        try await AppleGate.run { gate in
            let (user, _) = try await gate.signedIn(try gate.text())
            func found(_ text: String) async throws -> [String?]? {
                let path = "/api/admin/search?q=" + text
                let answer = try await gate.server.send("GET", path, token: Fixture.apiKey(.read))
                return try answer.json["data"]?.elements?.map { $0["user_id"]?.string }
            }
            #expect(try await found(user) == [])
            #expect(try await gate.adopt(try gate.text(), as: "anna").status == 200)
            #expect(try await found(user)?.contains("anna") == true)
            #expect(try await found("anna") == ["anna"])
            #expect(try await found("apple-")?.contains("anna") == false, "the whole id is needed")
        }
    }
}
