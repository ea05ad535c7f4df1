package import AppStore
import Crypto
package import StoreSimulator
import SwiftASN1
import X509

/// Every hostile transaction we know, minted under an authority that the server trusts (`threats.md` T1–T12).
///
/// The texts stay within the limits of a request, so they may be posted to a server as well.
package enum HostileVectors {
    /// 2026-01-15T12:00:00Z, the present for which the vectors are made.
    package static let now: Int64 = 1_768_478_400_000
    /// The one configured app.
    package static let app = StoreApp(bundleId: "com.airport.vpn", appAppleId: 1_234_567_890)

    /// An authority whose certificates are valid long before the earliest and long after the latest date that is
    /// accepted, so that dates and periods can be attacked apart.
    ///
    /// - Throws: Never.
    package static func authority() throws -> DevelopmentAuthority {
        try DevelopmentAuthority(validFrom: 1_546_300_800_000, validUntil: 1_893_456_000_000)
    }

    /// The same, whose certificates name these responders for OCSP.
    ///
    /// - Parameters:
    ///   - root: Answers for the intermediate, in the root's name.
    ///   - relations: Answers for the leaf, in the intermediate's name.
    /// - Throws: Never.
    package static func authority(asking root: String, _ relations: String) throws -> DevelopmentAuthority {
        let authority = try authority()
        let period: ClosedRange<Int64> = 1_546_300_800_000...1_893_456_000_000
        var kept = try authority.kept
        var intermediate = try DevelopmentAuthority.intermediateRecipe(
            authority.intermediateKey.publicKey, below: authority.rootKey.publicKey, period)
        intermediate.replace(try CertificateExtensions.authorityInformation(ocsp: root, issuer: root))
        kept.intermediate = try intermediate.mint(signedBy: .init(authority.rootKey)).serializeAsPEM().pemString
        var leaf = try DevelopmentAuthority.leafRecipe(
            authority.leafKey.publicKey, below: authority.intermediateKey.publicKey, period)
        leaf.replace(try CertificateExtensions.authorityInformation(ocsp: relations, issuer: relations))
        kept.leaf = try leaf.mint(signedBy: .init(authority.intermediateKey)).serializeAsPEM().pemString
        return try DevelopmentAuthority(kept)
    }

    /// All of them.
    ///
    /// - Throws: If a vector cannot be minted, which is a mistake in the vector.
    package static func all(_ authority: DevelopmentAuthority, app: StoreApp = app, now: Int64 = now) throws
        -> [HostileVector]
    {
        let mint = try HostileMint(authority: authority, app: app, now: now)
        let families: [() throws -> [HostileVector]] = [
            mint.envelopes, mint.headers, mint.algorithms, mint.certificateLists, mint.chains, mint.usages,
            mint.periods,
            mint.markers, mint.signatures, mint.alterations, mint.payloadTexts, mint.payloadFields, mint.identities,
        ]
        return try families.flatMap { try $0() }
    }

    /// What the vectors are one change away from; every one is accepted.
    ///
    /// - Throws: Never.
    package static func accepted(
        _ authority: DevelopmentAuthority, app: StoreApp = app, now: Int64 = now
    ) throws -> [(name: String, jws: String)] {
        try HostileMint(authority: authority, app: app, now: now).accepted()
    }
}
