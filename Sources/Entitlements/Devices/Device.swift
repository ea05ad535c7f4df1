/// A device on record at an instant (`semantics.md` §8).
package struct Device: Hashable, Sendable {
    /// The state of a device: active with a seat, or suspended without one.
    package enum State: Hashable, Sendable {
        case active
        case suspended(by: Suspender)
    }

    /// The reason why a device is suspended; the raw value is what the API writes.
    package enum Suspender: String, Hashable, Sendable, CaseIterable {
        /// The user suspended the device. It stays suspended until the user reactivates it.
        case user
        /// The limit of seats suspended the device. It becomes active by itself when there are seats again.
        case limit
    }

    package let id: Label
    package internal(set) var name: Label?
    /// The digest of the note that holds the device's name; if the device has no name, the digest of its registration's
    /// note.
    package internal(set) var words: NoteDigest?
    package internal(set) var isPinned: Bool
    package internal(set) var state: State
    package let registeredAt: Instant
    /// The instant of the last recorded use of the device; before the first one, the instant of its registration.
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

    /// The order that decides which devices keep their seats and which get one back first: pinned ones, then the most
    /// recently seen, then the earliest registered, then the smallest id.
    static func precedes(_ left: Device, _ right: Device) -> Bool {
        if left.isPinned != right.isPinned { return left.isPinned }
        if left.lastSeenAt != right.lastSeenAt { return left.lastSeenAt > right.lastSeenAt }
        if left.registeredAt != right.registeredAt { return left.registeredAt < right.registeredAt }
        return left.id < right.id
    }
}
