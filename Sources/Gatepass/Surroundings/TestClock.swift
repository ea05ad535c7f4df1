import EntitlementAPI
import Entitlements
import Foundation
import Synchronization

/// The clock of a development installation: as far ahead of the real time as it was advanced, which a file remembers.
///
/// The clock only goes forward. Uses that ``WallClock`` leaves to the real time stay there.
final class TestClock: Sendable {
    /// How far ahead it goes at most, in milliseconds; certificates of an installation hold longer.
    private static let furthest = AdvanceClockRoute.furthest

    private let file: URL
    private let ahead: Atomic<Int64>

    /// The clock as `file` remembers it; without the file it tells the real time.
    init(rememberedIn file: URL) {
        self.file = file
        let text = try? String(contentsOf: file, encoding: .utf8)  // it was never advanced
        let lead = text.flatMap { Int64($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
        ahead = Atomic(min(max(0, lead), Self.furthest))
    }

    /// How far ahead of the real time it is, in milliseconds.
    var lead: Int64 { ahead.load(ordering: .relaxed) }

    var wallClock: WallClock { WallClock(now: now) }

    @Sendable func now() -> Instant { Surroundings.now() + lead }

    /// Goes forward to `instant`, but no further than it may; one that has passed changes nothing. Throws what the file
    /// system refuses.
    func advance(to instant: Instant) throws { try advance(toLead: instant - Surroundings.now()) }

    /// Goes forward until it is `lead` milliseconds ahead, as ``advance(to:)`` does.
    func advance(toLead lead: Int64) throws {
        let lead = min(lead, Self.furthest)
        guard lead > self.lead else { return }
        try Data("\(lead)\n".utf8).write(to: file, options: .atomic)
        ahead.store(lead, ordering: .relaxed)
    }
}
