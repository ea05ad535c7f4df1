/// A device on record, as it stands at an instant (`semantics.md` §8).
package struct Device: Hashable, Sendable {
    /// The state of a device: with a seat, or suspended.
    package enum State: Hashable, Sendable {
        case active
        case suspended(by: Suspender)
    }

    /// The suspender that took the seat; the raw value is what the API writes.
    package enum Suspender: String, Hashable, Sendable, CaseIterable {
        /// The user: the device stays suspended until the user reactivates it.
        case user
        /// The limit: the device returns by itself when seats come back.
        case limit
    }

    package let id: Label
    package internal(set) var name: Label?
    /// The digest of the note with its name, or of its registration if it has none.
    package internal(set) var words: NoteDigest?
    package internal(set) var isPinned: Bool
    package internal(set) var state: State
    package let registeredAt: Instant
    /// When it was registered, or recorded as seen after that.
    package internal(set) var lastSeenAt: Instant

    package init(
        _ id: Label, named name: Label?, words: NoteDigest? = nil, isPinned: Bool, state: State = .active,
        registeredAt: Instant, lastSeenAt: Instant? = nil
    ) {
        self.id = id
        self.name = name
        self.words = words
        self.isPinned = isPinned
        self.state = state
        self.registeredAt = registeredAt
        self.lastSeenAt = lastSeenAt ?? registeredAt
    }

    /// The one order that decides who keeps a seat and who returns first: pinned, then most recently seen, then
    /// earliest registered, then by id.
    static func precedes(_ left: Device, _ right: Device) -> Bool {
        if left.isPinned != right.isPinned { return left.isPinned }
        if left.lastSeenAt != right.lastSeenAt { return left.lastSeenAt > right.lastSeenAt }
        if left.registeredAt != right.registeredAt { return left.registeredAt < right.registeredAt }
        return left.id < right.id
    }
}
