import Crypto
import StoreSimulator
import Support
import Testing
import X509

@testable import AppStore

/// Nobody can put a chain into the cache, nor push one out, without a trusted leaf key.
@Suite struct VerifiedChainCacheTests {
    private let mint: HostileMint
    private let chains = VerifiedChainCache()
    private let verifier: EvidenceVerifier
    private let now = HostileVectors.now

    init() throws {
        let fixture = try HostileFixture.minted()
        mint = try fixture.mint
        verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: try fixture.authority.trustRoots, chains: chains)
    }

    @Test func `a chain enters with its first accepted text, and once`() throws {
        #expect(chains.count == 0)
        for _ in 0..<3 { #expect(accepts(try mint.sign(mint.payload))) }
        #expect(chains.count == 1)
    }

    @Test func `no hostile text enters a chain, before or after the true one`() throws {
        let authentic: Set<EvidenceError.Reason> = [
            .payloadMalformed, .signedDateOutOfRange, .wrongPayloadKind, .wrongApp, .wrongEnvironment,
        ]
        for vector in try HostileFixture.minted().vectors where !authentic.contains(vector.expected) {
            #expect(!accepts(vector.jws))
        }
        #expect(chains.count == 0)
        #expect(accepts(try mint.sign(mint.payload)))
        for vector in try HostileFixture.minted().vectors {
            #expect(!accepts(vector.jws))
        }
        // Texts that are authentic but for their payload stand under the true header.
        #expect(chains.count == 1)
    }

    @Test func `the true certificates in a header of an attacker's spelling do not enter`() throws {
        #expect(accepts(try mint.sign(mint.payload)))
        let payload = try mint.segments()[1]
        for spelling in 0..<200 {
            var header = mint.header
            header["kid"] = .string("\(spelling)")
            let signature = CompactText.base64URL((0..<64).map { UInt8(truncatingIfNeeded: $0 + spelling) })
            #expect(!accepts("\(CompactText.base64URL(header.json.utf8)).\(payload).\(signature)"))
        }
        #expect(chains.count == 1)
        #expect(accepts(try mint.sign(mint.payload)))
    }

    @Test func `a known header does not vouch for another intermediate or leaf`() throws {
        #expect(accepts(try mint.sign(mint.payload)))
        let foreign = P384.Signing.PrivateKey()
        let key = P256.Signing.PrivateKey()
        let intermediate = try mint.intermediateRecipe(foreign.publicKey).mint(signedBy: .init(foreign)).der
        let leaf = try mint.leafRecipe(key.publicKey, below: foreign.publicKey).mint(signedBy: .init(foreign)).der
        let (true0, true1, true2) = (mint.certificates[0], mint.certificates[1], mint.certificates[2])
        for (certificates, key) in [
            ([true0, intermediate, true2], nil), ([leaf, true1, true2], key), ([leaf, intermediate, true2], key),
            ([true0, true0, true2], nil),
            ([leaf, true1, true2], nil),
        ] {
            #expect(!accepts(try mint.sign(certificates: certificates, by: key)))
        }
        #expect(chains.count == 1)
    }

    @Test func `dates are judged under a known chain too`() throws {
        #expect(accepts(try mint.sign(mint.payload)))
        let early = try mint.sign(mint.changed("signedDate", .integer(mint.period.lowerBound - 1000)))
        #expect(throws: EvidenceError(.chainExpired, "A certificate was not valid when the text was signed.")) {
            try verifier.verify(SignedTransaction(early), at: now)
        }
    }

    @Test func `the cache is bounded, and the oldest leaves first`() throws {
        let first = try mint.sign(mint.payload)
        #expect(accepts(first))
        for _ in 0..<VerifiedChainCache.capacity { #expect(accepts(try mint.chain())) }
        #expect(chains.count == VerifiedChainCache.capacity)
        #expect(accepts(first))
        #expect(chains.count == VerifiedChainCache.capacity)
    }

    @Test func `an intermediate is kept once a root vouched for it, whatever the text, and a forged one never is`()
        throws
    {
        let foreign = P384.Signing.PrivateKey()
        for jws in [try mint.chain(rootKey: foreign), try HostileVectors.authority().sign(mint.payload)] {
            #expect(!accepts(jws))
        }
        #expect(chains.intermediateCount == 0)
        let key = P256.Signing.PrivateKey()
        let forged = try mint.leafRecipe(key.publicKey, below: mint.authority.intermediateKey.publicKey)
            .mint(signedBy: .init(foreign)).der
        #expect(!accepts(try mint.sign(certificates: [forged, mint.certificates[1], mint.certificates[2]], by: key)))
        #expect(chains.intermediateCount == 1 && chains.count == 0)
        #expect(accepts(try mint.sign(mint.payload)))
        let other = try mint.leafRecipe(key.publicKey, below: mint.authority.intermediateKey.publicKey)
            .mint(signedBy: .init(mint.authority.intermediateKey)).der
        #expect(accepts(try mint.sign(certificates: [other, mint.certificates[1], mint.certificates[2]], by: key)))
        #expect(chains.intermediateCount == 1 && chains.count == 2)
        for _ in 0..<VerifiedChainCache.capacity { #expect(accepts(try mint.chain())) }
        #expect(chains.intermediateCount == VerifiedChainCache.capacity)
    }

    @Test func `verifiers on all threads share it`() async throws {
        let texts = try (0..<8).map { _ in try mint.chain() }
        await withTaskGroup(of: Bool.self) { group in
            for round in 0..<64 {
                group.addTask { accepts(texts[round % 8]) }
            }
            for await isAccepted in group { #expect(isAccepted) }
        }
        #expect(chains.count == 8)
    }

    private func accepts(_ jws: String) -> Bool {
        (try? verifier.verify(SignedTransaction(jws), at: now)) != nil  // Lost: the reason, which other tests compare.
    }
}
