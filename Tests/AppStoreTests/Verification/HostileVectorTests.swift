import AppStore
import StoreSimulator
import Support
import Testing

/// Every hostile transaction is refused for exactly its one defect.
@Suite struct HostileVectorTests {
    private let fixture: HostileFixture
    private let verifier: EvidenceVerifier

    init() throws {
        fixture = try HostileFixture.minted()
        verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: try fixture.authority.trustRoots)
    }

    @Test func `what the vectors are one change away from is accepted`() throws {
        for (name, jws) in fixture.accepted {
            #expect(throws: Never.self, "\(name)") {
                try verifier.verify(SignedTransaction(jws), at: HostileVectors.now)
            }
        }
    }

    @Test func `every vector is refused for its one defect`() throws {
        for vector in fixture.vectors {
            check(vector)
        }
    }

    @Test func `every vector is refused for the same when the true chain is known`() throws {
        for (_, jws) in fixture.accepted {
            _ = try verifier.verify(SignedTransaction(jws), at: HostileVectors.now)
        }
        for vector in fixture.vectors {
            check(vector)
        }
    }

    @Test func `a text that was verified before is spared its signature's check and nothing else`() throws {
        let texts = fixture.vectors.map(\.jws) + fixture.accepted.map(\.jws)
        let known = KnownTexts(texts.compactMap { SignedTransaction($0).digest })
        for vector in fixture.vectors where vector.expected != .signatureMismatch { check(vector, knowing: known) }
        for (name, jws) in fixture.accepted {
            #expect(throws: Never.self, "\(name)") {
                try verifier.verify(SignedTransaction(jws), at: HostileVectors.now, knowing: known)
            }
        }
    }

    @Test func `a text that differs in one byte is not the one that was verified before`() throws {
        let known = KnownTexts(fixture.accepted.compactMap { SignedTransaction($0.jws).digest })
        for vector in fixture.vectors { check(vector, knowing: known) }
    }

    @Test func `there are at least 600 vectors in 40 families, no two alike`() throws {
        let vectors = fixture.vectors
        let families = Dictionary(grouping: vectors, by: \.family)
        print("hostile vectors: \(vectors.count) in \(families.count) families")
        #expect(vectors.count >= 600)
        #expect(families.count >= 40)
        for (_, alike) in Dictionary(grouping: vectors, by: \.jws) where alike.count > 1 {
            Issue.record("one text: \(alike.map { "\($0.family): \($0.name)" })")
        }
        #expect(Set(vectors.map { "\($0.family): \($0.name)" }).count == vectors.count)
        #expect(Set(vectors.map(\.expected)) == Set(EvidenceError.Reason.allCases))
        #expect(vectors.allSatisfy { $0.jws.utf8.count <= SignedTransaction.maximumBytes })
    }

    private func check(_ vector: HostileVector, knowing texts: KnownTexts = .none) {
        do throws(EvidenceError) {
            _ = try verifier.verify(SignedTransaction(vector.jws), at: HostileVectors.now, knowing: texts)
            Issue.record("accepted: \(vector.family): \(vector.name)")
        } catch {
            #expect(error.reason == vector.expected, "\(vector.family): \(vector.name): \(error.detail)")
        }
    }
}
