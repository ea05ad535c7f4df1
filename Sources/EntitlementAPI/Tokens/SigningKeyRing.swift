package import Entitlements
package import LedgerStore

/// The keys of tokens at an instant: the one that signs, and those that still verify.
package struct SigningKeyRing: Sendable {
    /// The time during which a key signs, in milliseconds.
    package static let signingLife = 90 * Instant.millisecondsPerDay
    /// The time between the publication of a key and its first signature, in milliseconds. Within it every client sees
    /// the key.
    static let publishedAhead = Instant.millisecondsPerDay
    /// The time for which a key stays published after the end of its last token. Clocks of instances differ, and
    /// verifiers tolerate some difference.
    static let margin = Instant.millisecondsPerHour

    /// The key that signs: the oldest that still may.
    package let signer: SigningKey
    /// The keys that clients need for verification: those that may sign, and former ones with tokens that may still be
    /// valid. The oldest comes first.
    package let published: [SigningKey]
    /// The ids of keys that belong into ``published`` but cannot be opened. Tokens signed with them cannot be verified.
    package let unusable: [String]
    /// The longest life of an entitlement token, in hours.
    package let tokenHours: Int

    /// Makes the ring from the stored keys.
    ///
    /// - Throws: `unusable` if the key that signs now cannot be opened, `none` if no key may sign.
    package init(
        of stored: [SigningKeyStore.Stored], under seal: KeySeal, tokenHours: Int, at now: Instant
    ) throws(SigningKeyFault) {
        guard let signing = Self.signer(among: stored, at: now) else { throw .none }
        guard let signer = SigningKey(signing.key, under: seal) else { throw .unusable(kid: signing.key.kid) }
        self.signer = signer
        self.tokenHours = tokenHours
        let due = stored.filter { !Self.hasLeft($0, at: now) }
        let opened = due.map { SigningKey($0.key, under: seal) }
        published = opened.compactMap(\.self)
        unusable = zip(due, opened).compactMap { $1 == nil ? $0.key.kid : nil }
    }

    /// The oldest key that may sign at `now`. All instances choose the same one, whichever instance made the next key.
    static func signer(among stored: [SigningKeyStore.Stored], at now: Instant) -> SigningKeyStore.Stored? {
        stored.filter { now < $0.stopsAt }.min { $0.generation < $1.generation }
    }

    /// True if it is time to make the next key.
    static func needsSuccessor(_ stored: [SigningKeyStore.Stored], at now: Instant) -> Bool {
        !stored.contains { $0.stopsAt - now > publishedAhead }
    }

    /// True if every token that the key can have signed has expired.
    static func hasLeft(_ stored: SigningKeyStore.Stored, at now: Instant) -> Bool {
        now >= stored.stopsAt + Int64(stored.key.tokenHours) * Instant.millisecondsPerHour + margin
    }
}
