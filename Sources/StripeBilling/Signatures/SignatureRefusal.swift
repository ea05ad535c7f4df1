/// Why a delivery is not believed, in order of precedence (`stripe.md` §1); the raw value is what the API answers.
package enum SignatureRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// There is no `Stripe-Signature`.
    case headerMissing = "header_missing"
    /// It is longer than any that Stripe sends, or has no or several times.
    case headerMalformed = "header_malformed"
    /// It has no signature of the scheme `v1`.
    case signatureMissing = "signature_missing"
    /// No signature is that of the body under any of the secrets.
    case signatureMismatch = "signature_mismatch"
    /// It was signed more than five minutes ago, or that much later than now.
    case timestampOutOfRange = "timestamp_out_of_range"
}
