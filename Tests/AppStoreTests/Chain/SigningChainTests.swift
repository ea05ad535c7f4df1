import Foundation
import StoreSimulator
import Support
import SwiftASN1
import Testing

@testable import AppStore
@_spi(DisableValidityCheck) import X509

/// The path of three is judged as swift-certificates judges it, or more strictly, never less.
@Suite struct SigningChainTests {
    private let authority: DevelopmentAuthority
    private let roots: TrustRoots

    init() throws {
        authority = try HostileFixture.minted().authority
        roots = try authority.trustRoots
    }

    @Test func `what is trusted here is trusted by swift-certificates`() async throws {
        var trusted = 0
        var stricter = 0
        let fixture = try HostileFixture.minted()
        let headers = fixture.accepted.map(\.jws) + fixture.vectors.map(\.jws)
        for jws in Set(headers.map { String($0.prefix { $0 != "." }) }) {
            // Lost in the try: why it is no header; then there is no chain to compare.
            guard let header = try? self.header(jws) else { continue }
            // Lost in the try: the reason, which other tests compare.
            let isTrusted = (try? SigningChain(header, to: roots)) != nil
            let isTrustedThere = await isTrustedBySwiftCertificates(header)
            #expect(!isTrusted || isTrustedThere)
            trusted += isTrusted ? 1 : 0
            stricter += !isTrusted && isTrustedThere ? 1 : 0
        }
        #expect(trusted > 30)
        // Key usage, algorithms, authorities as leaves and name constraints are not judged there.
        #expect(stricter > 10)
    }

    @Test func `the period is what all three certificates have in common, in whole seconds`() throws {
        let mint = try HostileMint(authority: authority, app: HostileVectors.app, now: HostileVectors.now)
        let second: Int64 = 1_700_000_000
        let jws = try mint.chain(
            leaf: { $0.notBefore = Date(timeIntervalSince1970: Double(second)) },
            intermediate: { $0.notAfter = Date(timeIntervalSince1970: Double(second + 10)) })
        let period = try SigningChain(try header(String(jws.prefix { $0 != "." })), to: roots).period
        for (instant, expected) in [
            (second * 1000 - 1, false), (second * 1000, true), (second * 1000 + 10_000, true),
            (second * 1000 + 10_999, true),
            (second * 1000 + 11_000, false), (Int64.min, false), (Int64.max, false), (-1, false),
        ] {
            #expect(period.contains(instant) == expected, "\(instant)")
        }
    }

    @Test func `a root that may not stand two above the leaf, or is not valid, ends no chain`() throws {
        let now = HostileVectors.now
        let (early, late) = (now - 86_400_000, now + 86_400_000)
        try check({ _ in }, nil)
        try check(
            { $0.replace(try .init(BasicConstraints.isCertificateAuthority(maxPathLength: 1), critical: true)) }, nil)
        try check(
            { $0.replace(try .init(BasicConstraints.isCertificateAuthority(maxPathLength: 0), critical: true)) },
            .chainUntrusted)
        try check({ $0.notAfter = Date(timeIntervalSince1970: Double(early) / 1000) }, .chainExpired)
        try check({ $0.notBefore = Date(timeIntervalSince1970: Double(late) / 1000) }, .chainExpired)
    }

    /// Verifies under the authority's root as another certificate of its key.
    private func check(
        _ change: (inout CertificateRecipe) throws -> Void, _ expected: EvidenceError.Reason?
    ) throws {
        let mint = try HostileMint(authority: authority, app: HostileVectors.app, now: HostileVectors.now)
        var recipe = try DevelopmentAuthority.rootRecipe(authority.rootKey, mint.period)
        try change(&recipe)
        let roots = try TrustRoots(files: [try recipe.mint(signedBy: .init(authority.rootKey)).der])
        let verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: roots)
        let text = SignedTransaction(try mint.sign(mint.payload))
        do throws(EvidenceError) {
            _ = try verifier.verify(text, at: HostileVectors.now)
            #expect(expected == nil)
        } catch {
            #expect(error.reason == expected)
        }
    }

    private func header(_ segment: String) throws -> JWSHeader {
        try Array(segment.utf8).withUnsafeBufferPointer { try JWSHeader(segment: $0) }
    }

    private func isTrustedBySwiftCertificates(_ header: JWSHeader) async -> Bool {
        guard let leaf = try? Certificate(derEncoded: header.leaf),
            let intermediate = try? Certificate(derEncoded: header.intermediate)
        else { return false }  // Lost: why they cannot be parsed.
        var verifier = Verifier(rootCertificates: CertificateStore([authority.root])) {
            RFC5280Policy.withValidityCheckDisabled()
            Marked()
        }
        return switch await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate])) {
        case .validCertificate(let chain): chain.count == 3
        case .couldNotValidate: false
        }
    }

    /// Understands Apple's markers, as our rules do.
    private struct Marked: VerifierPolicy {
        let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [.AppleMarker.leaf, .AppleMarker.intermediate]

        mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
            .meetsPolicy
        }
    }
}
