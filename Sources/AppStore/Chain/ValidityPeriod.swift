import FoundationEssentials
import X509

/// The stretch of time in which all certificates of a path are valid.
///
/// Certificates count in whole seconds and include both ends (RFC 5280 §4.1.2.5), so the last second is valid to its
/// end. The stretch is empty, and contains nothing, when the certificates do not overlap.
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

    /// The seconds that lie in both periods.
    func intersection(_ other: Self) -> Self {
        ValidityPeriod(
            startsAtSecond: max(startsAtSecond, other.startsAtSecond),
            endsAtSecond: min(endsAtSecond, other.endsAtSecond))
    }

    /// True if an instant in milliseconds lies inside.
    func contains(_ instant: Int64) -> Bool {
        let (quotient, remainder) = instant.quotientAndRemainder(dividingBy: 1000)
        let second = remainder < 0 ? quotient - 1 : quotient  // Rounded down before 1970 too.
        return startsAtSecond <= second && second <= endsAtSecond
    }
}
