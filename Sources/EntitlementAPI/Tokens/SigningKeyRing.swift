package import Entitlements
package import LedgerStore

/// The keys of entitlement tokens at an instant: which one signs, and which ones still verify.
package struct SigningKeyRing: Sendable {
    /// How long a key signs, by age.
    package static let signingLife = 90 * Instant.millisecondsPerDay
    /// The next key is published this long before it signs, so that every client has had time to see it.
    static let publishedAhead = Instant.millisecondsPerDay
    /// A key stays this long after its last token's end: clocks of instances differ, and a verifier forgives a little.
    static let margin = Instant.millisecondsPerHour

    /// The oldest key that may sign.
    package let signer: SigningKey
    /// Keys that may sign, and keys that did, as long as a token of theirs may live; oldest first.
    package let published: [SigningKey]
    /// The names of keys that should be published and cannot be opened: tokens of theirs do not verify.
    package let unusable: [String]
    /// The longest life of a token, in hours.
    package let tokenHours: Int

    /// The ring of what is kept.
    ///
    /// - Throws: `unusable` when the key that signs now cannot be opened, `none` when no key may sign.
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

    /// The oldest key that may sign at `now`: all instances agree on it, whichever instance made the next key.
    static func signer(among stored: [SigningKeyStore.Stored], at now: Instant) -> SigningKeyStore.Stored? {
        stored.filter { now < $0.stopsAt }.min { $0.generation < $1.generation }
    }

    /// True if the next key is to be made now.
    static func needsSuccessor(_ stored: [SigningKeyStore.Stored], at now: Instant) -> Bool {
        !stored.contains { $0.stopsAt - now > publishedAhead }
    }

    /// True if every token that the key can have signed has ended.
    static func hasLeft(_ stored: SigningKeyStore.Stored, at now: Instant) -> Bool {
        now >= stored.stopsAt + Int64(stored.key.tokenHours) * Instant.millisecondsPerHour + margin
    }
}
