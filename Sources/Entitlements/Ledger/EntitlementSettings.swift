/// The settings of the server on which an answer depends. They are not facts; an answer with `explain` names them
/// (`semantics.md` §1).
package struct EntitlementSettings: Hashable, Sendable {
    /// The users for whom sandbox purchases count (`semantics.md` §9). The raw value is what the configuration writes.
    package enum SandboxAccess: String, Hashable, Sendable, CaseIterable {
        case nobody
        case testers
        case everyone
    }

    package let sandboxAccess: SandboxAccess
    /// The leeway in hours: how long a plan stays covered after its period, while the renewal may still be published
    /// (`semantics.md` §7).
    package let renewalLeewayHours: Int
    /// The hours for which devices keep their seats when the number of seats shrinks by itself (`semantics.md` §8).
    package let seatGraceHours: Int

    package init(sandboxAccess: SandboxAccess, renewalLeewayHours: Int = 24, seatGraceHours: Int = 24) {
        self.sandboxAccess = sandboxAccess
        self.renewalLeewayHours = renewalLeewayHours
        self.seatGraceHours = seatGraceHours
    }

    /// True if sandbox purchases count at `instant` for the user of `ledger` (`semantics.md` §9).
    func countsSandbox(for ledger: UserLedger, at instant: Instant) -> Bool {
        switch sandboxAccess {
        case .nobody: false
        case .testers: ledger.isSandboxTester(at: instant)
        case .everyone: true
        }
    }
}
