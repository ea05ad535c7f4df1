/// Why a signed text is refused: a closed answer for the client, never a fault of this server.
///
/// Cases stand in their order of precedence (`api.md`, "Problems"). Verification walks the stages in this order, and a
/// stage reads only what earlier stages made readable. So a text with several defects is refused for the earliest: a
/// bad signature under a chain without Apple's markers is `missing_apple_marker`.
///
/// A single stage looks ahead: the certificates' dates are judged at the payload's `signedDate`, which is not authentic
/// before the signature has been checked. When that date cannot be read the dates are not judged and the walk goes on.
/// Such a text ends at `payload_malformed` at the latest, so it is never accepted without the check.
package struct EvidenceError: Error, Hashable, Sendable {
    /// The stage that refused. Raw values are what the API writes.
    package enum Reason: String, CaseIterable, Hashable, Sendable {
        /// Not three segments of canonical base64url with a strict JSON object in front, too long, or a header member
        /// that would change how the text must be read (`crit`, `b64`, `zip`, `jwk`, `jku`, `x5u`).
        case malformed
        /// `alg` is not the string `ES256`; a missing `alg` and one that is no string count as such (RFC 7515 §4.1.1).
        case unsupportedAlgorithm = "unsupported_algorithm"
        /// `x5c` is not an array of exactly three; a missing one counts as none.
        case certificateCount = "certificate_count"
        /// An entry of `x5c` is no string, or one of the first two is not standard base64 of one DER certificate.
        case certificateMalformed = "certificate_malformed"
        /// No path leaf → intermediate → configured root, whatever the dates; also a certificate that its issuer
        /// revoked.
        case chainUntrusted = "chain_untrusted"
        /// A certificate of the path was expired or not yet valid at `signedDate`.
        case chainExpired = "chain_expired"
        /// Apple issued the certificates, but not for signing App Store data.
        case missingAppleMarker = "missing_apple_marker"
        /// The leaf's key did not sign this text. A signature that is not 64 bytes long belongs here too, because the
        /// length depends on the algorithm, which is judged before (RFC 7518 §3.4).
        case signatureMismatch = "signature_mismatch"
        /// Authentic, but not a strict JSON object with the fields that its kind requires.
        case payloadMalformed = "payload_malformed"
        /// Signed before signed data existed, or in the future.
        case signedDateOutOfRange = "signed_date_out_of_range"
        /// Authentic, but another of Apple's payloads.
        case wrongPayloadKind = "wrong_payload_kind"
        /// Authentic, but of an app that is not configured.
        case wrongApp = "wrong_app"
        /// Authentic, but from neither Sandbox nor Production.
        case wrongEnvironment = "wrong_environment"
    }

    package let reason: Reason

    /// A sentence for people. Fields are named, never values: nothing of the signed text is echoed.
    package let detail: String

    /// How long until the date is in range; nil for every reason but a date ahead of the clock.
    package let millisecondsAhead: Int64?

    package init(_ reason: Reason, _ detail: String, millisecondsAhead: Int64? = nil) {
        self.reason = reason
        self.detail = detail
        self.millisecondsAhead = millisecondsAhead
    }

    /// The problem's code; `reason` stands beside it when it is `evidence_invalid` (`api.md`, "Problems").
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
