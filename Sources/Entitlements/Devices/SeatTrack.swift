/// The allowed seats and the limit of active devices, as step functions of time (`semantics.md` §8).
struct SeatTrack: Hashable, Sendable {
    /// The allowed seats from an instant on.
    struct Level: Hashable, Sendable {
        let startsAt: Instant
        let allowed: Int
    }

    /// The allowed seats and the limit from an instant on.
    struct Step: Hashable, Sendable {
        let startsAt: Instant
        /// The allowed seats. A device gets a seat only while fewer devices than this are active.
        let allowed: Int
        /// The largest `allowed` within the seat grace. Active devices beyond this number are suspended.
        let limit: Int
    }

    /// The steps in ascending order, each unlike the one before; the first begins at `start`.
    private(set) var steps: [Step] = []

    /// An instant before all others.
    static let start = Instant(milliseconds: .min)

    /// Makes the track of `levels`, which are in ascending order.
    ///
    /// A level counts for the limit until the grace after its end is over. The levels that may still become the largest
    /// are kept in a queue, with the largest at its head. So the work grows linearly with the levels.
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

    /// Appends a step. If the last step begins at the same instant, the new one takes its place.
    private mutating func append(_ step: Step) {
        if steps.last?.startsAt == step.startsAt { steps.removeLast() }
        if let last = steps.last, last.allowed == step.allowed, last.limit == step.limit { return }
        steps.append(step)
    }

    private static let maximumGraceHours = 24 * 366 * 10
}
