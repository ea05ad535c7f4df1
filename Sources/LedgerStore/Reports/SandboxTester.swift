package import Entitlements

/// A user on the list of sandbox testers.
package struct SandboxTester: Hashable, Sendable {
    /// Grows with each user who is seen for the first time.
    package let id: UInt64
    package let user: UserID
    /// Since when.
    package let namedAt: Instant

    package init(id: UInt64, user: UserID, namedAt: Instant) {
        self.id = id
        self.user = user
        self.namedAt = namedAt
    }
}
