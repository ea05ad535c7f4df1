import AppStore
import Entitlements
import MariaDB
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// Texts that were verified before and come again, byte for byte (`semantics.md` §5, *Literal replay*).
    @Suite struct Replays {
        @Test func `the text of a purchase that is the user's changes no row, however often it comes`() async throws {
            let server = try await EndToEndServer.shared
            let jws = try server.sign(EndToEndServer.pass(at: now - day))
            let first = try await server.attach(jws, as: "replayer")
            #expect(first.string("outcome") == "attached")
            let rows = try await server.schema.dump()
            for _ in 1...3 {
                let again = try await server.attach(jws, as: "replayer")
                #expect(again.string("outcome") == "already_attached")
                #expect(again.integer("status.expires_at_ms") == first.integer("status.expires_at_ms"))
                #expect(again.string("transaction.transaction_id") == first.string("transaction.transaction_id"))
            }
            #expect(try await server.schema.dump() == rows)
        }

        @Test func `a restore of a hundred known items changes no row, and a new one among them is recorded`()
            async throws
        {
            let server = try await EndToEndServer.shared
            let texts = try (0..<100).map { place in
                SimulatedPayload.quoted(try server.sign(EndToEndServer.pass(at: now - Int64(place) * 3_600_000)))
            }
            #expect(try await server.restore(texts, as: "rereplayer").integer("summary.attached") == 100)
            let rows = try await server.schema.dump()
            let again = try await server.restore(texts, as: "rereplayer")
            #expect(again.integer("summary.already_attached") == 100, "\(again.text.prefix(400))")
            #expect(try await server.schema.dump() == rows)
            let new = EndToEndServer.pass(at: now)
            let more = try await server.restore(
                texts + [SimulatedPayload.quoted(try server.sign(new))], as: "rereplayer")
            #expect(more.integer("summary.already_attached") == 100 && more.integer("summary.attached") == 1)
            let lengths = "SELECT ledger_length FROM users WHERE user_id = 'rereplayer'"
            #expect(try await server.schema.number(lengths) == 202)
        }

        @Test
        func `a known text is refused as always when its app is no longer sold in, or its chain no longer trusted`()
            async throws
        {
            let server = try await EndToEndServer.start(["GATEPASS_CATALOG_ON_CHANGE": "apply"])
            let jws = try server.sign(EndToEndServer.pass(at: now - day))
            #expect(try await server.attach(jws, as: "anna").string("outcome") == "attached")
            #expect(try await server.end() == 0)
            let root = try HostileVectors.authority().kept.root
            try EndToEndServer.write(root, to: server.directory + "/root.pem")
            try await server.boot()
            let untrusted = try await server.attach(jws, as: "anna")
            #expect(untrusted.status == 422 && untrusted.string("reason") == "chain_untrusted", "\(untrusted.text)")
            #expect(try await server.end() == 0)
            try EndToEndServer.write(try server.authority.kept.root, to: server.directory + "/root.pem")
            let other = EndToEndServer.catalogue().replacing("com.airport.vpn", with: "com.airport.other")
            try EndToEndServer.write(other, to: server.directory + "/catalog.yaml")
            try await server.boot()
            let foreign = try await server.attach(jws, as: "anna")
            #expect(foreign.status == 422 && foreign.string("code") == "wrong_app", "\(foreign.text)")
            let restored = try await server.restore([SimulatedPayload.quoted(jws)], as: "anna")
            #expect(restored.string("results.0.code") == "wrong_app")
            #expect(try await server.end() == 0)
        }

        @Test func `a digest that was edited in the database spares no forged text its signature`() async throws {
            let server = try await EndToEndServer.start()
            let jws = try server.sign(EndToEndServer.pass(at: now - day))
            #expect(try await server.attach(jws, as: "anna").status == 200)
            let signed = try server.sign(EndToEndServer.pass(at: now - 2 * day)).split(separator: ".")
            let forged = signed.dropLast().joined(separator: ".") + "." + String(repeating: "A", count: 86)
            let edit = "UPDATE apple_iap_transactions SET jws_hash = UNHEX(SHA2(?, 256))"
            try await server.schema.rows(edit, [.text(forged)])
            let attached = try await server.attach(forged, as: "anna")
            #expect(attached.status == 422 && attached.string("reason") == "signature_mismatch", "\(attached.text)")
            let restored = try await server.restore([SimulatedPayload.quoted(forged)], as: "anna")
            #expect(restored.string("results.0.reason") == "signature_mismatch", "\(restored.text)")
            #expect(try await server.attach(jws, as: "anna").string("outcome") == "already_attached")
            #expect(try await server.end() == 0)
        }

        @Test func `what is another's, nobody's or an erased person's is decided as the first time`() async throws {
            let backend = try await EndToEndBackend.shared
            let both = "replayed" + newID()
            let (owner, other, token) = (both + "-owner", both + "-other", both + "-token")
            var pass = EndToEndBackend.sale("pass.30", at: now - day)
            pass.appTransactionId = both
            let jws = try backend.server.sign(pass)
            try await backend.server.attach(jws, as: owner)
            let issued = try await backend.server.send("GET", "/api/iap/apple/account-token", as: token)
            var named = EndToEndBackend.sale("pass.30", at: now - day)
            named.appAccountToken = issued.string("app_account_token")
            let unowned = try backend.server.sign(named)
            let (theirs, vetoed) = ("owned_by_another_user", "account_token_mismatch")
            for _ in 1...2 {
                #expect(try await backend.server.attach(jws, as: other).string("code") == theirs)
                #expect(try await backend.server.attach(unowned, as: other).string("code") == vetoed)
            }
            let seen = "SELECT COUNT(*) FROM users WHERE user_id = ?"
            #expect(try await backend.server.schema.number(seen, [.text(other)]) == 0, "a refusal makes nobody")
            #expect(try await backend.server.attach(unowned, as: token).string("outcome") == "attached")

            #expect(try await backend.act("erase", for: owner).status == 204)
            for user in [owner, other] {
                #expect(try await backend.server.attach(jws, as: user).string("code") == theirs)
            }
            let proven = try await Self.attach(jws, provedBy: both, as: other, backend)
            #expect(proven.string("outcome") == "attached", "\(proven.text)")
            #expect(try await backend.server.attach(jws, as: other).string("outcome") == "already_attached")
            #expect(try await backend.server.attach(jws, as: owner).string("code") == theirs)
            #expect(try await backend.server.command(["audit", "verify"]).status == 0)
        }

        @Test func `a replay is read, though an erased person of the same Apple account owes something`() async throws {
            let backend = try await EndToEndBackend.shared
            let both = "indebted" + newID()
            let (gone, back) = (both + "-gone", both + "-back")
            var (lot, pass) = (
                EndToEndBackend.sale("credits.100", at: now - day), EndToEndBackend.sale("pass.30", at: now - day)
            )
            (lot.appTransactionId, pass.appTransactionId) = (both, both)
            let jws = try backend.server.sign(pass)
            #expect(try await backend.server.attach(jws, as: back).string("outcome") == "attached")
            try await backend.attach(lot, to: gone)
            try await backend.spend(70, for: gone)
            try await backend.attach(lot.refunded(at: now), to: gone)
            #expect(try await backend.act("erase", for: gone).status == 204)
            try await backend.server.schema.waitForJobs()
            let rows = try await backend.server.schema.dump()
            #expect(try await backend.server.attach(jws, as: back).string("outcome") == "already_attached")
            #expect(try await backend.server.schema.dump() == rows)
            #expect(try await backend.look("credits", of: back).count("data") == 0)
        }

        /// Attaches a text with the proof of an Apple account. Throws when no whole answer came.
        private static func attach(
            _ jws: String, provedBy account: String, as user: String, _ backend: EndToEndBackend
        ) async throws -> EndToEndAnswer {
            var download = SimulatedAppTransaction(bundleId: EndToEndServer.bundleID, at: now - day)
            download.environment = .production
            download.appAppleId = 1_234_567_890
            download.appTransactionId = account
            let proof = try backend.server.authority.sign(download).text
            let body = #"{"signedTransactionJWS":"\#(jws)","signedAppTransaction":"\#(proof)"}"#
            return try await backend.server.send("POST", EndToEndServer.attachPath, Array(body.utf8), as: user)
        }
    }
}
