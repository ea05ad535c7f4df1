import Entitlements

/// A takeback without any name, for a delivery whose text may be deleted before its purchase is known.
extension CardTakeback {
    /// The share, or `-` for nothing, two instants in milliseconds, the event, the charge or dispute and the numbers,
    /// separated by spaces: none of them has one.
    package var text: String {
        let taken = revocation.map { "\($0.share ?? Revocation.fullShare) \($0.revokedAt.milliseconds)" } ?? "- 0"
        return ([taken, "\(signedAt.milliseconds)", eventID, id.text] + numbers).joined(separator: " ")
    }

    /// Nil for a text that ``text`` does not make.
    package init?(text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count >= 5, let revokedAt = Int64(words[1]), let signedAt = Int64(words[2]) else { return nil }
        let share = Int(words[0])
        guard share != nil || words[0] == "-" else { return nil }
        self.init(
            numbers: Array(words[5...]), id: TransactionID(words[4]),
            revocation: share.map { Revocation(revokedAt: Instant(milliseconds: revokedAt), share: $0) },
            signedAt: Instant(milliseconds: signedAt), eventID: words[3])
    }
}
