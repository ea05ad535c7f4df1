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
        self.anomalies = Count(anomalies.rows.map(\.recordedAt), isPart: anomalies.next != nil)
        self.late = Count(undecided, isPart: late.next != nil)
        self.conflicts = Count(count: conflicts.rows.count, oldestAt: nil, isPart: conflicts.next != nil)
    }
}

extension WorkCounts.Count {
    /// The count of what began at `instants`. The oldest is not known if there may be more.
    fileprivate init(_ instants: [Instant], isPart: Bool) {
        self.init(count: instants.count, oldestAt: isPart ? nil : instants.min(), isPart: isPart)
    }

    fileprivate init(_ waiting: WaitingWork) {
        self.init(
            count: waiting.count, oldestAt: waiting.oldestAt, isPart: waiting.count >= WaitingWork.limit)
    }
}

/// Keeps the counts, so that most pages cost no counting and wait for none. All pages wait for one counting. A form
/// that a signed-in person sends has them counted anew.
final class WorkCounter: Sendable {
    /// The age in milliseconds from which counts are counted anew.
    private static let life: Int64 = 5_000
    /// The age in milliseconds up to which a page shows counts while newer ones are counted.
    private static let shownFor: Int64 = 60_000

    /// The newest counts, and the counting that is under way.
    private struct State {
        var counts: WorkCounts?
        var countedAt = Instant.distantPast
        var counting: Task<WorkCounts, any Error>?
        /// The number of times that the counts were forgotten.
        var generation = 0
    }

    private let state = Mutex(State())

    /// The counts for the side bar, a minute old at most; nil if they could not be counted.
    func counts(in store: Store, at now: Instant) async -> WorkCounts? {
        let (known, age) = known(at: now)
        let isYoung = (0..<Self.life).contains(age)
        let counting = isYoung && known != nil ? nil : counting(in: store, at: now)
        if let known, (0..<Self.shownFor).contains(age) { return known }
        // `try?` drops the error: a page without these numbers still says what it is about.
        return try? await counting?.value
    }

    /// The counts, a few seconds old at most.
    ///
    /// - Throws: `ServiceFailure` when the database is away.
    func freshCounts(in store: Store, at now: Instant) async throws -> WorkCounts {
        let (known, age) = known(at: now)
        if let known, (0..<Self.life).contains(age) { return known }
        return try await counting(in: store, at: now).value
    }

    /// Has the counts read anew for the next page.
    func forget() {
        state.withLock { state in
            (state.counts, state.counting) = (nil, nil)
            state.generation += 1
        }
    }

    private func known(at now: Instant) -> (counts: WorkCounts?, age: Int64) {
        state.withLock { ($0.counts, now - $0.countedAt) }
    }

    /// The counting that is under way, or a new one.
    private func counting(in store: Store, at now: Instant) -> Task<WorkCounts, any Error> {
        state.withLock { state in
            if let counting = state.counting { return counting }
            let generation = state.generation
            let counting = Task {
                let counted: Result<WorkCounts, any Error>
                do { counted = .success(try await WorkCounts(in: store, at: now)) } catch { counted = .failure(error) }
                self.state.withLock { state in
                    guard state.generation == generation else { return }
                    state.counting = nil
                    // `try?` drops the error, which whoever waits for the counts gets.
                    if let counts = try? counted.get() { (state.counts, state.countedAt) = (counts, now) }
                }
                return try counted.get()
            }
            state.counting = counting
            return counting
        }
    }
}
