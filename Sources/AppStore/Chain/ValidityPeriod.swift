import FoundationEssentials
import X509

/// The time in which all certificates of a path are valid.
///
/// Certificates count whole seconds and include both ends (RFC 5280 §4.1.2.5), so the last second belongs to the
/// period. If the certificates' periods do not overlap, this period is empty.
struct ValidityPeriod: Hashable, Sendable {
    let startsAtSecond: Int64
    let endsAtSecond: Int64

    private init(startsAtSecond: Int64, endsAtSecond: Int64) {
        self.startsAtSecond = startsAtSecond
        self.endsAtSecond = endsAtSecond
    }

    init(_ certificate: Certificate) {
        self.startsAtSecond = Int64(certificate.notValidBefore.timeIntervalSince1970)
        self.endsAtSecond = Int64(certificate.notValidAfter.timeIntervalSince1970)
    }

    /// The part that both periods share.
    func intersection(_ other: Self) -> Self {
        ValidityPeriod(
            startsAtSecond: max(startsAtSecond, other.startsAtSecond),
            endsAtSecond: min(endsAtSecond, other.endsAtSecond))
    }

    /// True if an instant, in milliseconds since the epoch, lies inside.
    func contains(_ instant: Int64) -> Bool {
        let (quotient, remainder) = instant.quotientAndRemainder(dividingBy: 1000)
        let second = remainder < 0 ? quotient - 1 : quotient  // Rounded down before 1970 too.
        return startsAtSecond <= second && second <= endsAtSecond
    }
}
