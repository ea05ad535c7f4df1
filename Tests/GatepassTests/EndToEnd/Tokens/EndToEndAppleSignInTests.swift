import AppStore
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// An app without a login: the Apple account signs in, at whichever instance, until somebody signs it out.
    @Suite struct AppleSignIn {
        @Test func `without any login, a sign-out by command ends at once what both instances issued`() async throws {
            let settings = ["GATEPASS_AUTH_APPLE_ACCOUNTS_ENABLED": "true", "GATEPASS_AUTH_HS256_SECRET": ""]
            let first = try await EndToEndServer.start(settings)
            let second = try await EndToEndServer(settings, on: first.schema)
            try await second.boot()

            var account = SimulatedAppTransaction(bundleId: EndToEndServer.bundleID, at: now - 1_000)
            account.appTransactionId = newID()
            let text = try first.authority.sign(account).text
            let body = Array(#"{"signedAppTransaction":"\#(text)"}"#.utf8)
            let signedIn = try await first.send("POST", "/api/iap/apple/sign-in", body)
            let user = try #require(signedIn.string("user_id"), "\(signedIn.text)")
            let token = [("Authorization", "Bearer " + (signedIn.string("token") ?? ""))]
            for server in [first, second] {
                let status = try await server.send("GET", EndToEndServer.statusPath, fields: token)
                #expect(status.status == 200 && status.string("user_id") == user, "\(status.text)")
            }
            #expect(try await first.schema.number("SELECT MAX(token_hours) FROM signing_keys") == 30 * 24)
            // No secret of development stands in for a login.
            #expect(try await first.send("GET", EndToEndServer.statusPath, as: "anna").status == 401)

            let doctor = try await first.command(["doctor"])
            #expect(
                doctor.text.contains(
                    "there is no login of the app's own; Apple accounts sign in by themselves, for 30 days"),
                "\(doctor.text)")
            let nobody = try await first.command(["user", "sign-out", "anna", "--reason", "lost"])
            #expect(nobody.status == 0 && nobody.text.contains("no Apple account stands for anna"), "\(nobody.text)")
            let done = try await first.command(["user", "sign-out", user, "--reason", "lost"])
            #expect(done.status == 0 && done.text.contains("tokens and texts of 1 Apple account"), "\(done.text)")
            for server in [first, second] {
                let status = try await server.send("GET", EndToEndServer.statusPath, fields: token)
                #expect(status.status == 401 && status.string("code") == "unauthenticated", "\(status.text)")
                let stale = try await server.send("POST", "/api/iap/apple/sign-in", body)
                #expect(stale.status == 422 && stale.string("code") == "stale", "\(stale.text)")
                #expect(!server.log.contains(text.suffix(40)))
            }
            for server in [first, second] { #expect(try await server.end() == 0) }
        }
    }
}
