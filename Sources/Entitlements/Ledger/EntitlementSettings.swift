/// The server's settings that an answer depends on; not facts, and named under `explain` (`semantics.md` §1).
package struct EntitlementSettings: Hashable, Sendable {
    /// For whom sandbox purchases count (`semantics.md` §9); the raw value is what the configuration writes.
    package enum SandboxAccess: String, Hashable, Sendable, CaseIterable {
        case nobody
        case testers
        case everyone
    }

    package let sandboxAccess: SandboxAccess
    /// How long an auto-renewing period stays covered while its renewal may still be published, in hours
    /// (`semantics.md` §7).
    package let renewalLeewayHours: Int
    /// How long devices keep their seats when seats shrink by themselves, in hours (`semantics.md` §8).
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
