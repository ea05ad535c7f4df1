import EntitlementAPI
import Entitlements
import Foundation
import Synchronization

/// The clock of a development installation. It is ahead of the real time by a lead, which is stored in a file. The lead
/// is negative while the installation's first customers are made.
///
/// The clock only goes forward. Code that needs the real time, as listed at ``WallClock``, does not use this clock.
final class TestClock: Sendable {
    /// The largest lead, in milliseconds. The certificates of an installation are valid for longer.
    private static let furthest = AdvanceClockRoute.furthest

    private let file: URL
    private let ahead: Atomic<Int64>

    /// The clock with the lead in `file`; without the file it shows the real time.
    init(rememberedIn file: URL) {
        self.file = file
        let text = try? String(contentsOf: file, encoding: .utf8)  // it was never advanced
        let lead = text.flatMap { Int64($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
        ahead = Atomic(min(max(-Self.furthest, lead), Self.furthest))
    }

    /// The time by which the clock is ahead of the real time, in milliseconds.
    var lead: Int64 { ahead.load(ordering: .relaxed) }

    var wallClock: WallClock { WallClock(now: now) }

    @Sendable func now() -> Instant { Surroundings.now() + lead }

    /// Puts the clock forward to `instant`, or as far as it may go. An instant in the past changes nothing. Throws an
    /// error of the file system.
    func advance(to instant: Instant) throws { try advance(toLead: instant - Surroundings.now()) }

    /// Puts the clock forward until its lead is `lead` milliseconds, within the limits of ``advance(to:)``.
    func advance(toLead lead: Int64) throws {
        let lead = min(lead, Self.furthest)
        guard lead > self.lead else { return }
        try Data("\(lead)\n".utf8).write(to: file, options: .atomic)
        ahead.store(lead, ordering: .relaxed)
    }
}
