/// The note about an Apple account that signs in by itself: whom it stands for, and what counts no more (`semantics.md`
/// §5, *The Apple account as sign-in*). An account without a note stands for its own user.
package struct AppleAccountNote: Hashable, Sendable {
    /// The user for whom the account stands: its own user, the one into whom that user was merged, or an erased person.
    package let holder: UserID
    /// The instant from which it stands for them, or at which they were erased.
    package let since: Instant
    /// The instant of the last sign-out; nil if there was none.
    package let signedOutAt: Instant?

    package init(holder: UserID, since: Instant, signedOutAt: Instant?) {
        self.holder = holder
        self.since = since
        self.signedOutAt = signedOutAt
    }

    /// The reason why a text or token made at `instant` does not sign in the account's own user; nil if it does.
    ///
    /// - Parameters:
    ///   - account: The account's own user.
    ///   - adopter: The user who brings the account home with the text; nil for a sign-in.
    package func refusal(
        of instant: Instant, for account: UserID, adoptedBy adopter: UserID? = nil
    ) -> AppleAccountRefusal? {
        if holder != account, holder != adopter, !holder.isErased { return .signedInElsewhere }
        if !proves(textOf: instant) { return .stale }
        return holder != adopter && instant < since ? .stale : nil
    }

    /// True if a text made at `instant` proves the account. A sign-out takes that from all earlier texts, and an
    /// erasure does not, because the same person may claim what an erased person had.
    package func proves(textOf instant: Instant) -> Bool { signedOutAt.map { instant >= $0 } ?? true }
}

/// The reason why a genuine app transaction signs nobody in, or is not adopted, in order of precedence.
package enum AppleAccountRefusal: Error, Hashable, Sendable, CaseIterable {
    /// The user is an Apple account's own, so there is nobody who could adopt.
    case ownLoginRequired
    /// Apple took the download back.
    case revoked
    /// The text names no Apple account, because the device is too old.
    case noAppleAccount
    /// The account stands for another user.
    case signedInElsewhere
    /// The text was made too long ago, or before a sign-out, an erasure or a merge.
    case stale
}
