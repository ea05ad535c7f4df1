import AppStore
import Foundation
import StoreSimulator
import Support
import SwiftASN1
import Testing
import X509

/// A text with two defects is refused for the one that comes first (`api.md`, "Problems").
@Suite struct EvidencePrecedenceTests {
    private let mint: HostileMint
    private let verifier: EvidenceVerifier

    init() throws {
        let fixture = try HostileFixture.minted()
        mint = try fixture.mint
        verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: try fixture.authority.trustRoots)
    }

    @Test func `reasons have their spelling and their order`() {
        #expect(
            EvidenceError.Reason.allCases.map(\.rawValue) == [
                "malformed", "unsupported_algorithm", "certificate_count", "certificate_malformed", "chain_untrusted",
                "chain_expired",
                "missing_apple_marker", "signature_mismatch", "payload_malformed", "signed_date_out_of_range",
                "wrong_payload_kind", "wrong_app",
                "wrong_environment",
            ])
        #expect(EvidenceError(.malformed, "").code == "evidence_invalid")
        #expect(EvidenceError(.wrongPayloadKind, "").code == "evidence_invalid")
        #expect(EvidenceError(.wrongApp, "").code == "wrong_app")
        #expect(EvidenceError(.wrongEnvironment, "").code == "wrong_environment")
    }

    @Test func `the earlier of two defects is reported`() throws {
        var header = mint.header
        header["alg"] = .string("none")
        check(try mint.sign(header: header, mint.payload) + "=", .malformed)
        header["crit"] = .array([])
        check(try mint.sign(header: header, mint.payload), .malformed)
        header["crit"] = nil
        header["x5c"] = nil
        check(try mint.sign(header: header, mint.payload), .unsupportedAlgorithm)
        header["alg"] = .string("ES256")
        header["x5c"] = .array([.integer(1)])
        check(try mint.sign(header: header, mint.payload), .certificateCount)
        // Xcode's StoreKit testing signs with one certificate and this key id (`apple.md` §1.7).
        header["kid"] = .string("Apple_Xcode_Key")
        check(try mint.sign(header: header, mint.payload), .wrongEnvironment)
        header["kid"] = .string("Apple_Xcode")
        check(try mint.sign(header: header, mint.payload), .certificateCount)
        header["kid"] = .string("Apple_Xcode_Key")
        header["x5c"] = .array([.integer(1), .string(""), .string("")])
        check(broken(try mint.sign(header: header, mint.payload)), .certificateMalformed)
        check(
            try mint.chain(leaf: {
                $0.issuer = DistinguishedName(); $0.notAfter = .distantPastSecond
            }), .chainUntrusted)
        check(
            try mint.chain(leaf: {
                $0.notAfter = .distantPastSecond; $0.remove(.AppleMarker.leaf)
            }), .chainExpired)
        check(broken(try mint.chain(leaf: { $0.remove(.AppleMarker.leaf) })), .missingAppleMarker)
        check(broken(try mint.sign(payload: "{")), .signatureMismatch)
        check(
            try mint.sign(mint.changed("signedDate", .integer(HostileVectors.now + 600_000)).without("type")),
            .payloadMalformed)
        check(
            try mint.sign(
                SimulatedPayload([("autoRenewStatus", .integer(1)), ("signedDate", .integer(1_577_836_800_000))])),
            .signedDateOutOfRange)
        check(
            try mint.sign(
                SimulatedPayload([("autoRenewStatus", .integer(1)), ("signedDate", .integer(HostileVectors.now))])),
            .wrongPayloadKind)
        check(try mint.sign(mint.changed("bundleId", .string("x")).without("environment")), .wrongApp)
    }

    @Test func `a date that cannot be read never lets an expired chain through`() throws {
        for date in [nil, SimulatedPayload.Value.string("1"), .verbatim("1.5"), .verbatim("null")] {
            check(try mint.sign(mint.changed("signedDate", date)), .payloadMalformed)
        }
        check(try mint.sign(payload: "[]"), .payloadMalformed)
        check(try mint.sign(payload: #"{"autoRenewStatus":1}"#), .payloadMalformed)
    }

    @Test func `two segments are answered with what to send`() throws {
        let parts = try mint.segments()
        let error = check("\(parts[0]).\(parts[1])", .malformed)
        #expect(error?.detail.contains("send jwsRepresentation") == true)
    }

    @Test func `no detail repeats what was sent`() throws {
        for vector in try HostileFixture.minted().vectors {
            guard let error = check(vector.jws, vector.expected) else { continue }
            #expect(error.detail.utf8.count < 200)
            for run in vector.jws.split(separator: ".") where run.utf8.count > 8 {
                #expect(!error.detail.contains(run))
            }
            #expect(!error.detail.contains("2000001027701928"))
        }
    }

    @Test func `a text beyond the limit is not looked at`() throws {
        var payload = mint.payload
        payload["x"] = .string(String(repeating: "x", count: SignedTransaction.maximumBytes))
        check(try mint.sign(payload), .malformed)
        check(String(repeating: "A", count: 1_000_000), .malformed)
        check(String(repeating: ".", count: 1_000_000), .malformed)
    }

    /// The text with another signature.
    private func broken(_ jws: String) -> String {
        jws.split(separator: ".").dropLast().joined(separator: ".") + "." + String(repeating: "A", count: 86)
    }

    @discardableResult
    private func check(_ jws: String, _ expected: EvidenceError.Reason) -> EvidenceError? {
        do throws(EvidenceError) {
            _ = try verifier.verify(SignedTransaction(jws), at: HostileVectors.now)
            Issue.record("accepted, expected \(expected)")
            return nil
        } catch {
            #expect(error.reason == expected)
            return error
        }
    }
}

extension Date {
    /// Long ago, but writable in a certificate.
    fileprivate static let distantPastSecond = Date(timeIntervalSince1970: 1_577_836_800)
}

extension SimulatedPayload {
    fileprivate func without(_ name: String) -> Self {
        var payload = self
        payload[name] = nil
        return payload
    }
}
