/// The reason for which a signed text is refused. It is an answer to the client, never a fault of this server.
///
/// The cases of ``Reason`` stand in their order of precedence (`api.md`, "Problems"). Verification checks in this
/// order, and each check reads only what earlier checks made readable. So a text with several defects is refused for
/// the first. A bad signature under a chain without Apple's markers, for example, is `missing_apple_marker`.
///
/// A single check looks ahead. Certificates must be valid at the payload's `signedDate`, which is read before the
/// signature is checked. If that date cannot be read, the certificates' dates are not checked and verification goes on.
/// Such a text is refused as `payload_malformed` at the latest, so it is never accepted without the check.
package struct EvidenceError: Error, Hashable, Sendable {
    /// The check that failed. The raw value is the problem's code or its `reason` in the API.
    package enum Reason: String, CaseIterable, Hashable, Sendable {
        /// The text is too long, or not three segments of canonical base64url whose first is a strict JSON object.
        /// Also: the header has a member that changes how the text must be read (`crit`, `b64`, `zip`, `jwk`, `jku`,
        /// `x5u`).
        case malformed
        /// `alg` is missing, no string, or not `ES256` (RFC 7515 §4.1.1).
        case unsupportedAlgorithm = "unsupported_algorithm"
        /// `x5c` is missing or not an array of exactly three entries.
        case certificateCount = "certificate_count"
        /// An entry of `x5c` is no string, or the first or second is not standard base64 of one X.509 certificate in
        /// DER.
        case certificateMalformed = "certificate_malformed"
        /// The certificates form no path leaf → intermediate → configured root, or a certificate is revoked. Dates do
        /// not matter here.
        case chainUntrusted = "chain_untrusted"
        /// A certificate of the path was expired or not yet valid at `signedDate`.
        case chainExpired = "chain_expired"
        /// Apple issued the certificates, but not for signing App Store data.
        case missingAppleMarker = "missing_apple_marker"
        /// The leaf's key did not sign this text. A signature that is not 64 bytes long belongs here too, because the
        /// length follows from `alg`, which is checked before (RFC 7518 §3.4).
        case signatureMismatch = "signature_mismatch"
        /// The text is authentic, but its payload is not a strict JSON object with the required members.
        case payloadMalformed = "payload_malformed"
        /// The text is authentic, but dated before 2021, when Apple began to sign, or in the future.
        case signedDateOutOfRange = "signed_date_out_of_range"
        /// The text is authentic, but a payload of another kind, such as renewal info in place of a transaction.
        case wrongPayloadKind = "wrong_payload_kind"
        /// The text is authentic, but for an app that is not configured.
        case wrongApp = "wrong_app"
        /// The text is authentic, but its environment is neither Sandbox nor Production.
        case wrongEnvironment = "wrong_environment"
    }

    package let reason: Reason

    /// A sentence for people. It names members of the text and never their values, so nothing of the text is echoed.
    package let detail: String

    /// The milliseconds until the date is in range, if the date is too far ahead of the clock; else nil.
    package let millisecondsAhead: Int64?

    package init(_ reason: Reason, _ detail: String, millisecondsAhead: Int64? = nil) {
        self.reason = reason
        self.detail = detail
        self.millisecondsAhead = millisecondsAhead
    }

    /// The problem's code. For `evidence_invalid` the answer has `reason` beside it (`api.md`, "Problems").
    package var code: String {
        switch reason {
        case .wrongApp, .wrongEnvironment:
            reason.rawValue
        case .malformed, .unsupportedAlgorithm, .certificateCount, .certificateMalformed, .chainUntrusted,
            .chainExpired,
            .missingAppleMarker, .signatureMismatch, .payloadMalformed, .signedDateOutOfRange, .wrongPayloadKind:
            "evidence_invalid"
        }
    }
}
