import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// What OpenSSL says about the certificates of a text, asked by OCSP.
    @Suite struct CertificateStatus {
        @Test func `a text counts once an independent responder calls its certificates good, and no verdict is none`()
            async throws
        {
            let (rootPort, relationsPort) = (PrivateMariaDB.freePort(), PrivateMariaDB.freePort())
            let authority = try HostileVectors.authority(
                asking: "http://127.0.0.1:\(rootPort)/root", "http://127.0.0.1:\(relationsPort)/relations")
            let kept = try authority.kept
            let root = try OpenSSLResponder(
                of: kept.intermediate, issuer: kept.root, key: kept.rootKey, at: rootPort, isDelegated: false)
            let relations = try OpenSSLResponder(
                of: kept.leaf, issuer: kept.intermediate, key: kept.intermediateKey, at: relationsPort,
                isDelegated: true)
            let server = try await EndToEndServer(["GATEPASS_APPLE_OCSP": "true"], signing: authority)
            try await server.boot()
            let text = try server.sign(EndToEndServer.pass(at: now - day))
            let attach = { try await server.attach(text, as: "asking") }

            let away = try await attach()
            #expect(away.status == 503 && away.headers.first(name: "Retry-After") != nil, "\(away.text)")
            let notKnown = try await root.answering(.good) { try await relations.answering(.unknown, attach) }
            #expect(notKnown.status == 503, "\(notKnown.text)")
            let withdrawn = try await root.answering(.good) { try await relations.answering(.revoked, attach) }
            #expect(withdrawn.status == 422 && withdrawn.string("reason") == "chain_untrusted", "\(withdrawn.text)")
            let withdrawnAbove = try await root.answering(.revoked) { try await relations.answering(.good, attach) }
            #expect(withdrawnAbove.status == 422, "\(withdrawnAbove.text)")
            let good = try await root.answering(.good) { try await relations.answering(.good, attach) }
            #expect(good.status == 200 && good.string("outcome") == "attached", "\(good.text)")
            // The good answer is kept: nobody can be asked any more.
            let next = try server.sign(EndToEndServer.pass(at: now - day))
            #expect(try await server.attach(next, as: "asking").status == 200)
            #expect(try await server.end() == 0)
        }

        @Test func `what a responder answers that is no verdict is worth another try`() async throws {
            let refusals = (1...6).map { "0\u{3}\n\u{1}\(Character(UnicodeScalar(UInt8($0))))" }
            let answers = ["", "<html>"] + refusals
            let responder = try StoreReceiver { _, before in .init(200, answers[before.count % answers.count]) }
            defer { responder.stop() }
            let address = "http://127.0.0.1:\(responder.port)/all"
            let authority = try HostileVectors.authority(asking: address, address)
            let server = try await EndToEndServer(["GATEPASS_APPLE_OCSP": "true"], signing: authority)
            try await server.boot()
            let text = try server.sign(EndToEndServer.pass(at: now - day))
            for answer in answers {
                let refused = try await server.attach(text, as: "asking")
                #expect(refused.status == 503 && refused.string("code") == "unavailable", "\(answer): \(refused.text)")
            }
            #expect(responder.requests.count == answers.count)
            #expect(try await server.end() == 0)
        }
    }
}
