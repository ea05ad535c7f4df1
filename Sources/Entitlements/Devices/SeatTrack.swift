/// How many devices may be active, as a step function of time (`semantics.md` §8).
struct SeatTrack: Hashable, Sendable {
    /// The seats from an instant on.
    struct Level: Hashable, Sendable {
        let startsAt: Instant
        let allowed: Int
    }

    /// The allowed seats and the limit from an instant on.
    struct Step: Hashable, Sendable {
        let startsAt: Instant
        /// Activating or returning needs fewer active devices than this.
        let allowed: Int
        /// More active devices than this are suspended: the largest `allowed` within the grace.
        let limit: Int
    }

    /// In ascending order, each unlike the one before; the first holds from `start`.
    private(set) var steps: [Step] = []

    /// Before anything.
    static let start = Instant(milliseconds: .min)

    /// The track of `levels`, which are in ascending order.
    ///
    /// A level lasts until the next one, and for the grace beyond counts for the limit. Levels that may yet be the
    /// largest stand in a queue, the largest and first to leave at its head, so the work grows with the levels.
    init(of levels: [Level], graceHours: Int) {
        let grace = Int64(min(max(0, graceHours), Self.maximumGraceHours)) * Instant.millisecondsPerHour
        var queue: [(allowed: Int, leavesAt: Instant)] = []
        var head = 0
        for (position, level) in levels.enumerated() {
            while let last = queue.last, queue.count > head, last.allowed <= level.allowed { queue.removeLast() }
            let next = position + 1 < levels.count ? levels[position + 1].startsAt : nil
            queue.append((level.allowed, next.map { $0 + grace } ?? .distantFuture))
            append(Step(startsAt: level.startsAt, allowed: level.allowed, limit: queue[head].allowed))
            while head + 1 < queue.count, next.map({ queue[head].leavesAt <= $0 }) ?? true {
                let leavesAt = queue[head].leavesAt
                head += 1
                append(Step(startsAt: leavesAt, allowed: level.allowed, limit: queue[head].allowed))
            }
        }
    }

    /// The later of two steps of one instant holds.
    private mutating func append(_ step: Step) {
        if steps.last?.startsAt == step.startsAt { steps.removeLast() }
        if let last = steps.last, last.allowed == step.allowed, last.limit == step.limit { return }
        steps.append(step)
    }

    private static let maximumGraceHours = 24 * 366 * 10
}
