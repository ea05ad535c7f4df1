import AppStore
import CryptoExtras
import Entitlements
import Foundation
import StoreSimulator
import Support
import SwiftASN1
import Testing
import X509

/// A receipt holds only with Apple's signature (`semantics.md` §5). Each refused receipt differs from the accepted one
/// in one point.
struct ReceiptVerifierTests {
    private static let app = StoreApp(bundleId: "com.example.app")
    private static let period: ClosedRange<Int64> = 1_700_000_000_000...1_900_000_000_000
    private static let now: Int64 = 1_770_000_000_000

    private let authority: ReceiptAuthority
    private let roots: TrustRoots

    init() throws {
        authority = try ReceiptAuthority.sample.get()
        roots = try authority.trustRoots
    }

    /// The root that is shipped for receipts.
    private static func appleRoot() throws -> TrustRoots {
        let file = URL(filePath: TestRun.repository)
            .appending(path: "config/certificates/AppleIncRootCertificate.cer")
        return try TrustRoots(files: [Array(Data(contentsOf: file))])
    }

    /// The environment of a receipt that holds, or the reason why it does not.
    private func verdict(
        _ bytes: [UInt8], roots: TrustRoots? = nil, at now: Int64 = now
    ) throws -> Result<StoreEnvironment, EvidenceError> {
        guard case .app(let receipt) = try LegacyReceipt(Data(bytes).base64EncodedString()) else {
            throw EvidenceError(.wrongPayloadKind, "It is no app receipt.")
        }
        return Result { () throws(EvidenceError) in
            try ReceiptVerifier(roots: roots ?? self.roots).verify(receipt, for: [Self.app], at: now)
        }
    }

    private func reason(_ bytes: [UInt8], roots: TrustRoots? = nil) throws -> EvidenceError.Reason? {
        guard case .failure(let error) = try verdict(bytes, roots: roots) else { return nil }
        return error.reason
    }

    /// A receipt that brings the authority's certificates along, and these signers.
    private func receipt(signers: [UInt8]) throws -> [UInt8] {
        SimulatedReceipt(["1001"]).bytes(
            certificates: try [authority.leaf, authority.intermediate, authority.root].flatMap { try $0.der },
            signers: signers)
    }

    @Test func `a receipt holds in the environment of its type, with either digest`() throws {
        for (type, environment) in [
            ("Production", .production), ("ProductionVPP", .production), ("ProductionSandbox", .sandbox),
            ("ProductionVPPSandbox", .sandbox),
        ] as [(String, StoreEnvironment)] {
            for digest in ReceiptAuthority.Digest.allCases {
                var (receipt, signer) = (SimulatedReceipt(["1001"]), authority)
                receipt.type = type
                signer.digest = digest
                #expect(try verdict(receipt.signed(by: signer)) == .success(environment), "\(type) \(digest)")
            }
        }
    }

    @Test func `the root may be missing from the receipt, and certificates may stand in any order`() throws {
        let signer = try SimulatedReceipt(["1001"]).signer(of: authority)
        for certificates in [
            [authority.leaf, authority.intermediate], [authority.root, authority.intermediate, authority.leaf],
        ] {
            let bytes = SimulatedReceipt(["1001"]).bytes(
                certificates: try certificates.flatMap { try $0.der }, signers: signer)
            #expect(try verdict(bytes) == .success(.sandbox))
        }
    }

    @Test func `a receipt that nobody signed, or that several or attributes stand for, is malformed`() throws {
        let receipt = SimulatedReceipt(["1001"])
        let signer = try receipt.signer(of: authority)
        let attributes = SimulatedReceipt.element(0xA0, SimulatedReceipt.element(0x30, [0x05, 0x00]))
        for (name, bytes) in [
            ("unsigned", receipt.unsigned), ("without signers", try self.receipt(signers: [])),
            ("two signers", try self.receipt(signers: signer + signer)),
            ("signed attributes", try self.receipt(signers: receipt.signer(of: authority, attributes: attributes))),
        ] {
            #expect(try reason(bytes) == .malformed, "\(name)")
        }
        var xcode = receipt
        xcode.isOfXcode = true
        #expect(try reason(xcode.signed(by: authority)) == .malformed, "indefinite lengths")
    }

    @Test func `a digest or an encryption of another kind is not supported`() throws {
        let signed = try SimulatedReceipt(["1001"]).signed(by: authority)
        let (sha256, sha512): ([UInt8], [UInt8]) = (
            [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01],
            [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]
        )
        let digest = SimulatedReceipt.element(0x06, sha256) + [0x05, 0x00]
        let other = SimulatedReceipt.element(0x06, sha512) + [0x05, 0x00]
        #expect(try reason(signed.replacing(digest, with: other)) == .unsupportedAlgorithm)
        let rsa = Data([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00])
        var bytes = Data(signed)
        let place = try #require(bytes.range(of: rsa, options: .backwards))
        bytes[place.lowerBound + 10] = 0x0A
        #expect(try reason(Array(bytes)) == .unsupportedAlgorithm, "RSA-PSS")
    }

    @Test func `certificates that are too few, too many or none are refused`() throws {
        let receipt = SimulatedReceipt(["1001"])
        let signer = try receipt.signer(of: authority)
        let (leaf, intermediate) = (try authority.leaf.der, try authority.intermediate.der)
        for (certificates, reason) in [
            ([], .certificateCount), (leaf, .certificateCount),
            (leaf + Array(repeatElement(intermediate, count: 8).joined()), .certificateCount),
            (leaf + intermediate + SimulatedReceipt.element(0x30, [0x05, 0x00]), .certificateMalformed),
        ] as [([UInt8], EvidenceError.Reason)] {
            let bytes = receipt.bytes(certificates: certificates, signers: signer)
            #expect(try self.reason(bytes) == reason)
        }
        #expect(try reason(receipt.bytes(certificates: nil, signers: signer)) == .malformed)
    }

    @Test func `a chain to another root, or by certificates that may not stand there, is untrusted`() throws {
        let receipt = SimulatedReceipt(["1001"])
        let other = try ReceiptAuthority(validFrom: Self.period.lowerBound, validUntil: Self.period.upperBound)
        #expect(try reason(receipt.signed(by: other)) == .chainUntrusted, "another root of the same name")
        #expect(try reason(receipt.signed(by: authority), roots: Self.appleRoot()) == .chainUntrusted)
        let keys = authority.key.publicKey
        let key = Certificate.PrivateKey(authority.key)
        for (name, change) in [
            (
                "a leaf that is an authority",
                { $0.leaf = try ReceiptAuthority.intermediateRecipe(keys, Self.period).mint(signedBy: key) }
            ),
            (
                "an intermediate that is none",
                { signer in
                    var recipe = try ReceiptAuthority.intermediateRecipe(keys, Self.period)
                    recipe.replace(try .init(BasicConstraints.notCertificateAuthority, critical: true))
                    signer.intermediate = try recipe.mint(signedBy: key)
                }
            ),
            (
                "a leaf that may not sign",
                { signer in
                    var recipe = try ReceiptAuthority.leafRecipe(keys, Self.period)
                    recipe.replace(try .init(KeyUsage(keyEncipherment: true), critical: true))
                    signer.leaf = try recipe.mint(signedBy: key)
                }
            ),
            (
                "a leaf that another key issued",
                { signer in
                    let recipe = try ReceiptAuthority.leafRecipe(keys, Self.period)
                    signer.leaf = try recipe.mint(signedBy: .init(other.key))
                }
            ),
            (
                "an intermediate that another key issued",
                { signer in
                    let recipe = try ReceiptAuthority.intermediateRecipe(keys, Self.period)
                    signer.intermediate = try recipe.mint(signedBy: .init(other.key))
                }
            ),
        ] as [(String, (inout ReceiptAuthority) throws -> Void)] {
            var signer = authority
            try change(&signer)
            #expect(try reason(receipt.signed(by: signer)) == .chainUntrusted, "\(name)")
        }
    }

    @Test func `a developer's certificates below the same root lack a marker`() throws {
        let key = Certificate.PrivateKey(authority.key)
        for isLeaf in [true, false] {
            for isCritical in [true, false] {
                var signer = authority
                var recipe =
                    try isLeaf
                    ? ReceiptAuthority.leafRecipe(authority.key.publicKey, Self.period)
                    : ReceiptAuthority.intermediateRecipe(authority.key.publicKey, Self.period)
                let marker: ASN1ObjectIdentifier = isLeaf ? .AppleMarker.leaf : .AppleMarker.intermediate
                if isCritical {
                    recipe.replace(CertificateExtensions.marker(marker, critical: true))
                } else {
                    recipe.remove(marker)
                }
                let certificate = try recipe.mint(signedBy: key)
                if isLeaf { signer.leaf = certificate } else { signer.intermediate = certificate }
                let reason = try reason(SimulatedReceipt(["1001"]).signed(by: signer))
                #expect(reason == .missingAppleMarker, "leaf \(isLeaf), critical \(isCritical)")
            }
        }
    }

    @Test func `certificates must be valid when the receipt was made, and it was not made in the future`() throws {
        var receipt = SimulatedReceipt(["1001"])
        for (createdAt, reason) in [
            (Self.period.lowerBound - 1_000, .chainExpired), (Self.period.lowerBound, nil),
            (Self.now + 300_000, nil), (Self.now + 301_000, .signedDateOutOfRange),
            (Self.period.upperBound + 1_000, .chainExpired), (nil, .payloadMalformed),
        ] as [(Int64?, EvidenceError.Reason?)] {
            receipt.createdAt = createdAt
            #expect(try self.reason(receipt.signed(by: authority)) == reason, "\(createdAt ?? 0)")
        }
        let later = try verdict(SimulatedReceipt(["1001"]).signed(by: authority), at: Self.period.upperBound + 1_000)
        #expect(later == .success(.sandbox), "an old receipt stays genuine")
    }

    @Test func `a signature over other bytes, or of another key, does not match`() throws {
        let receipt = SimulatedReceipt(["1001"])
        let signed = try receipt.signed(by: authority)
        let forged = signed.replacing(Array("1001".utf8), with: Array("1002".utf8))
        #expect(forged != signed && forged.count == signed.count)
        #expect(try reason(forged) == .signatureMismatch)
        var last = signed
        last[last.count - 1] ^= 1
        #expect(try reason(last) == .signatureMismatch)
        let thief = try ReceiptAuthority(validFrom: Self.period.lowerBound, validUntil: Self.period.upperBound)
        var posing = thief
        (posing.leaf, posing.intermediate, posing.root) = (authority.leaf, authority.intermediate, authority.root)
        #expect(try reason(receipt.signed(by: posing)) == .signatureMismatch, "genuine certificates, another key")
    }

    @Test func `a genuine receipt of another app, of none or of Xcode is not ours`() throws {
        for name in ["com.other", "com.example.App", "", "com.example.app "] {
            #expect(try reason(SimulatedReceipt(["1001"], ofApp: name).signed(by: authority)) == .wrongApp, "\(name)")
        }
        for type in ["Xcode", "production", "Sandbox", ""] {
            var receipt = SimulatedReceipt(["1001"])
            receipt.type = type
            #expect(try reason(receipt.signed(by: authority)) == .wrongEnvironment, "\(type)")
        }
    }

    @Test func `Apple's root of 2006 is the one that is shipped, and signs no text`() throws {
        let root = try #require(try Self.appleRoot().roots.first)
        #expect(root.subject.contains("Apple Root CA") && !root.isDevelopment)
        #expect(root.isValid(at: 1_146_001_237_000) && !root.isValid(at: 2_100_000_000_000))
        #expect(try authority.trustRoots.developmentRoots.count == 1)
    }
}
