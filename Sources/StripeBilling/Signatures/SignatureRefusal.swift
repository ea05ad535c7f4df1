/// Why a delivery is not believed, in order of precedence (`stripe.md` §1); the raw value is what the API answers.
package enum SignatureRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// There is no `Stripe-Signature`.
    case headerMissing = "header_missing"
    /// The header is longer than any that Stripe sends, or does not have exactly one time.
    case headerMalformed = "header_malformed"
    /// The header has no signature of the scheme `v1`.
    case signatureMissing = "signature_missing"
    /// No signature is that of the body under any of the secrets.
    case signatureMismatch = "signature_mismatch"
    /// The signature was made more than five minutes ago, or dates that much ahead.
    case timestampOutOfRange = "timestamp_out_of_range"
}
