/// The reason why a delivery is refused, in order of precedence (`stripe.md` §1). The raw value is the `reason` in the
/// API's answer.
package enum SignatureRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// There is no `Stripe-Signature`.
    case headerMissing = "header_missing"
    /// The header is too long, is no list of pairs, or does not have exactly one time.
    case headerMalformed = "header_malformed"
    /// The header has no signature of the scheme `v1`.
    case signatureMissing = "signature_missing"
    /// No signature matches the body under any of the secrets.
    case signatureMismatch = "signature_mismatch"
    /// The signature's time is more than five minutes ago, or more than five minutes ahead.
    case timestampOutOfRange = "timestamp_out_of_range"
}
