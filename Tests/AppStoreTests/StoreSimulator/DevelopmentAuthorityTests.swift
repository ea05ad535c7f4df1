import AppStore
import StoreSimulator
import Support
import Testing
import X509

/// An authority for development looks like Apple's and says that it is not.
@Suite struct DevelopmentAuthorityTests {
    @Test func `an authority that was kept signs on`() throws {
        let authority = try HostileVectors.authority()
        let again = try DevelopmentAuthority(try authority.kept)
        #expect(try again.kept == authority.kept)
        let verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: try authority.trustRoots)
        for (name, jws) in try HostileVectors.accepted(again) {
            #expect(throws: Never.self, "\(name)") {
                try verifier.verify(SignedTransaction(jws), at: HostileVectors.now)
            }
        }
    }

    @Test func `certificates and texts have the sizes of Apple's, within an eighth`() throws {
        let authority = try HostileVectors.authority()
        for (size, apples) in [
            (try authority.leaf.der.count, 1077), (try authority.intermediate.der.count, 794),
            (try authority.root.der.count, 583),
        ] {
            #expect((apples * 7 / 8...apples * 9 / 8).contains(size), "\(size) for \(apples)")
        }
        let mint = try HostileMint(authority: authority, app: HostileVectors.app, now: HostileVectors.now)
        #expect((4_600...5_900).contains(try mint.sign(mint.payload).utf8.count))
    }

    @Test func `every subject says what it is for`() throws {
        let authority = try HostileVectors.authority()
        for certificate in [authority.root, authority.intermediate, authority.leaf] {
            #expect(certificate.subject.description.contains(TrustRoots.developmentUnit))
        }
    }

    @Test func `what cannot be written as it is, is escaped`() {
        #expect(SimulatedPayload.quoted("a\"b\\c\n\u{1}é") == #""a\"b\\c\u000a\u0001é""#)
        var payload = SimulatedPayload([("a", .integer(1)), ("b", .array([.boolean(true), .verbatim("null")]))])
        payload["c"] = .object(SimulatedPayload([("d", .string("e"))]))
        payload["a"] = nil
        payload["x"] = nil
        #expect(payload.json == #"{"b":[true,null],"c":{"d":"e"}}"#)
    }
}
