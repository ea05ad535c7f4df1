import EntitlementAPI
import Entitlements
import LedgerStore
import Synchronization

/// The work that waits for a person, list by list.
struct WorkCounts: Sendable {
    /// The most anomalies, late passes and conflicts that are counted, because each is confirmed by a timeline.
    private static let counted = 20

    /// How much waits in a list, and since when.
    struct Count: Sendable {
        let count: Int
        let oldestAt: Instant?
        /// True if there may be more than are counted.
        var isPart = false

        func text(_ words: Words) -> String { words.number(count) + (isPart ? "+" : "") }
    }

    let parked: Count
    let dead: Count
    let anomalies: Count
    let late: Count
    let conflicts: Count

    /// Counts the work of all lists.
    ///
    /// - Throws: `ServiceFailure` when the database is away.
    init(in store: Store, at now: Instant) async throws {
        let (parked, dead) = try await store.reports.waitingWork()
        let anomalies = try await ConfirmedAnomaly.page(of: nil, before: nil, limit: Self.counted, in: store, at: now)
        let late = try await LatePass.page(before: nil, limit: Self.counted, in: store, at: now)
        let conflicts = try await store.reports.conflicts(before: nil, limit: Self.counted)
        let undecided = late.rows.filter { $0.grant == nil }.map(\.attachedAt)
        self.parked = Count(parked)
        self.dead = Count(dead)
        self.anomalies = Count(
            count: anomalies.rows.count, oldestAt: anomalies.rows.map(\.recordedAt).min(),
            isPart: anomalies.next != nil)
        self.late = Count(count: undecided.count, oldestAt: undecided.min(), isPart: late.next != nil)
        self.conflicts = Count(count: conflicts.rows.count, oldestAt: nil, isPart: conflicts.next != nil)
    }
}

extension WorkCounts.Count {
    fileprivate init(_ waiting: WaitingWork) {
        self.init(
            count: waiting.count, oldestAt: waiting.oldestAt, isPart: waiting.count >= WaitingWork.limit)
    }
}

/// Keeps the counts for a few seconds, so that most pages cost no counting. Every form that is sent has them counted
/// anew.
final class WorkCounter: Sendable {
    /// How long counts are kept, in milliseconds.
    private static let life: Int64 = 5_000

    /// The newest counts.
    private struct State {
        var counts: WorkCounts?
        var countedAt: Instant?
        /// The number of times that the counts were forgotten.
        var generation = 0
    }

    private let state = Mutex(State())

    /// The counts, which are a few seconds old at most; fresh ones with `isFresh`.
    ///
    /// - Throws: `ServiceFailure` when the database is away.
    func counts(in store: Store, at now: Instant, isFresh: Bool = false) async throws -> WorkCounts {
        let (known, generation) = state.withLock { state in
            let isYoung = state.countedAt.map { (0..<Self.life).contains(now - $0) } ?? false
            return (isYoung ? state.counts : nil, state.generation)
        }
        if let known, !isFresh { return known }
        let counts = try await WorkCounts(in: store, at: now)
        state.withLock { state in
            guard state.generation == generation else { return }
            (state.counts, state.countedAt) = (counts, now)
        }
        return counts
    }

    /// Has the counts read anew for the next page.
    func forget() {
        state.withLock { state in
            state.counts = nil
            state.generation += 1
        }
    }
}
