import Crypto
import StoreSimulator
import Support
import Testing

@testable import AppStore

/// What a batch makes of headers that no text was accepted under yet.
@Suite struct UnknownHeaderTests {
    private let mint: HostileMint
    private let chains = VerifiedChainCache()
    private let verifier: AppStoreVerifier
    private let now = HostileVectors.now

    init() throws {
        let fixture = try HostileFixture.minted()
        mint = try fixture.mint
        verifier = AppStoreVerifier(
            evidence: EvidenceVerifier(
                apps: [HostileVectors.app], roots: try fixture.authority.trustRoots, chains: chains))
    }

    /// A header and who signs under it.
    private struct Signer {
        let header: SimulatedPayload
        let key: P256.Signing.PrivateKey
        let mint: HostileMint

        /// So many texts, no two alike.
        func texts(_ count: Int) throws -> [SignedTransaction] {
            try (0..<count).map { number in
                let payload = mint.changed("transactionId", .string("\(number)")).json
                return SignedTransaction(
                    try mint.sign(header: Array(header.json.utf8), payload: Array(payload.utf8), by: key))
            }
        }
    }

    /// What the authority signs under; another spelling is another header.
    private func genuine(_ spelling: String = "") -> Signer {
        Signer(header: mint.added(("kid", .string(spelling))), key: mint.authority.leafKey, mint: mint)
    }

    /// The true certificates, and another's signatures.
    private func tampered(_ spelling: String) -> Signer {
        Signer(header: mint.added(("kid", .string(spelling))), key: P256.Signing.PrivateKey(), mint: mint)
    }

    /// Certificates of an attacker's own.
    private func forged() throws -> Signer {
        let authority = try HostileVectors.authority()
        let certificates = [try authority.leaf.der, try authority.intermediate.der, mint.certificates[2]]
        return Signer(header: CompactText.header(certificates: certificates), key: authority.leafKey, mint: mint)
    }

    /// Certificates that are none.
    private func garbled(_ number: UInt8) -> Signer {
        let certificates = [[0x30, number], [0x30, number], mint.certificates[2]]
        return Signer(header: CompactText.header(certificates: certificates), key: mint.authority.leafKey, mint: mint)
    }

    @Test func `certificates that cannot be parsed cost nothing and keep nobody from being judged`() async throws {
        let garbage = try (1...10).flatMap { try garbled($0).texts(3) }
        let verdicts = try await verdicts(garbage + genuine().texts(1))
        #expect(verdicts.dropLast().allSatisfy { $0 == "certificate_malformed" }, "\(verdicts)")
        #expect(verdicts.last == "genuine")
    }

    /// The verdicts in words.
    private func verdicts(_ texts: [SignedTransaction], cores: Int = 2) async throws -> [String] {
        try await verifier.verify(all: texts, at: now, cores: cores).map { verdict in
            switch verdict {
            case .genuine: "genuine"
            case .refused(let error): error.reason.rawValue
            case .notJudged: "not judged"
            }
        }
    }

    @Test func `of five hundred forged chains four are tried, the same four in any order`() async throws {
        let texts = try (0..<500).map { _ in try forged().texts(1)[0] }
        let told = try await verdicts(texts)
        #expect(told.count { $0 == "chain_untrusted" } == AppStoreVerifier.maximumFailures)
        #expect(told.count { $0 == "not judged" } == 496)
        let tried = Set(zip(texts, told).filter { $0.1 == "chain_untrusted" }.map(\.0))
        var random = SeededGenerator(seed: 9)
        for cores in [1, 2, 7] {
            let shuffled = texts.shuffled(using: &random)
            let again = try await verdicts(shuffled, cores: cores)
            #expect(Set(zip(shuffled, again).filter { $0.1 == "chain_untrusted" }.map(\.0)) == tried)
        }
    }

    @Test func `all items under a header that is tried get its verdict, each its own`() async throws {
        let bad = try forged().texts(40)
        #expect(try await verdicts(bad) == Array(repeating: "chain_untrusted", count: 40))
        let mixed = try tampered("a").texts(2) + genuine("a").texts(1) + tampered("a").texts(1)
        let reasons = ["signature_mismatch", "signature_mismatch", "genuine", "signature_mismatch"]
        #expect(try await verdicts(mixed) == reasons)
        #expect(try await verdicts(mixed) == reasons, "and under the known header")
        #expect(chains.count == 1)
    }

    @Test func `a genuine header with more items than each of four bad ones is tried first`() async throws {
        var texts = try (0..<6).flatMap { _ in try forged().texts(2) }
        texts += try genuine().texts(3)
        let told = try await verdicts(texts)
        #expect(Array(told.suffix(3)) == Array(repeating: "genuine", count: 3))
        #expect(told.count { $0 == "chain_untrusted" } == 8 && told.count { $0 == "not judged" } == 4)
    }

    @Test func `a genuine header that is known is judged whatever else fails`() async throws {
        #expect(try await verdicts(genuine().texts(1)) == ["genuine"])
        var texts = try (0..<6).flatMap { _ in try forged().texts(2) }
        texts.insert(try genuine().texts(8)[7], at: 5)
        #expect(try await verdicts(texts)[5] == "genuine")
    }

    @Test func `behind four that failed a genuine header is not judged, and is when it comes again`() async throws {
        let bad = try (0..<4).flatMap { _ in try forged().texts(2) }
        let good = try genuine().texts(1)
        #expect(try await verdicts(bad + good) == Array(repeating: "chain_untrusted", count: 8) + ["not judged"])
        #expect(chains.count == 0)
        #expect(try await verdicts(good) == ["genuine"])
        #expect(try await verdicts(bad + good).last == "genuine")
    }

    @Test func `a header of the true certificates in an attacker's spelling is one that fails`() async throws {
        let texts = try (0..<9).flatMap { try tampered("\($0)").texts(1) }
        let told = try await verdicts(texts)
        #expect(told.count { $0 == "signature_mismatch" } == 4 && told.count { $0 == "not judged" } == 5)
        #expect(chains.count == 0 && chains.intermediateCount == 1)
    }

    @Test func `headers that hold do not count, nor do texts without one that can be read`() async throws {
        let unreadable = ["", "a.b", "a.b.c", "e30.e30.e30", "bm8.e30.e30", "W10.e30.e30", "x", "?.e30.e30"]
        let spelled = try (0..<9).flatMap { try genuine("\($0)").texts(1) }
        let told = try await verdicts(unreadable.map { SignedTransaction($0) } + spelled)
        #expect(!told.contains("not judged"))
        #expect(told.prefix(8).allSatisfy { ["malformed", "unsupported_algorithm"].contains($0) })
        #expect(told.suffix(9).allSatisfy { $0 == "genuine" })
    }

    @Test func `copies of one text are items too, and verified once`() async throws {
        let bad = try (0..<5).flatMap { _ in try forged().texts(2) }
        let good = try genuine().texts(1)
        let told = try await verdicts(bad + Array(repeating: good[0], count: 3))
        #expect(told.suffix(3).allSatisfy { $0 == "genuine" })
        #expect(told.count { $0 == "chain_untrusted" } == 8)
    }
}
