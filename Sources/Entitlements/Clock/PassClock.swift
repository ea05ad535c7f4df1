/// Runs the passes of one lane and one environment (`semantics.md` §2, *The rule*).
///
/// At any time a single pass runs. A pass may run if its anchor has come and it has run for less than its paid length.
/// Of the passes that may run, the first by `Pass.precedes` runs.
///
/// Events are an anchor, a departure, a step of a share, and the edge of a window that pauses. Between two events
/// nothing changes, except that the running pass may run out. So the clock moves from event to event, and n passes take
/// O((n + events) log n).
package struct PassClock {
    /// An uninterrupted run `[startsAt, endsAt)` of one of the passes.
    package struct Run: Hashable, Sendable {
        /// The index of the pass in the list that the clock was given.
        package let pass: Int
        package let startsAt: Instant
        package let endsAt: Instant

        package init(pass: Int, startsAt: Instant, endsAt: Instant) {
            self.pass = pass
            self.startsAt = startsAt
            self.endsAt = endsAt
        }
    }

    /// A window that pauses the passes of lower rank, in a lane with `under_higher_window: pause`.
    package struct Pause: Hashable, Sendable {
        package let rank: Int
        package let startsAt: Instant
        package let endsAt: Instant

        package init(rank: Int, startsAt: Instant, endsAt: Instant) {
            self.rank = rank
            self.startsAt = startsAt
            self.endsAt = endsAt
        }
    }

    /// The runs in ascending order. Runs of one pass without a gap are merged.
    package private(set) var runs: [Run] = []
    /// The number of times that the clock was moved. Tests check with it that the work grows linearly with the events.
    package private(set) var steps = 0

    /// An instant at which the running pass may change.
    private struct Event {
        /// The change that the event brings.
        enum Change {
            case anchor(Int)
            case departure(Int)
            case share(Int, Int)
            case pause(from: Int?)
        }

        let at: Instant
        let change: Change
    }

    /// The progress of one pass. The passes are ordered by precedence: of those that may run, the one at the smallest
    /// position runs.
    private struct Runner {
        let pass: Int
        let length: Int64
        let rank: Int
        /// The longest time that the pass may run in this lane, in milliseconds: what it had run at its departure, or
        /// its whole length if it stays.
        let limit: Int64
        /// The most time that the pass may run under its present refunded share, in milliseconds: its paid length, but
        /// at most `limit`. Time with earlier owners is part of it.
        var mayHaveRun: Int64
        var ran: Int64
        var isHere = false

        var mayRun: Bool { isHere && ran < mayHaveRun }

        init(_ pass: Pass, at position: Int) {
            self.pass = position
            length = pass.length
            rank = pass.rank
            limit = pass.departure?.ran ?? pass.length
            mayHaveRun = min(limit, pass.length)
            ran = pass.ranBefore
        }
    }

    private var runners: [Runner]
    /// The positions of the passes that may run, and of others, which leave it only at its head. A position may be in
    /// it several times.
    private var waiting = MinHeap()
    private var pausedBelow: Int?

    /// Runs `passes`, in any order, to their ends. The windows in `pauses` pause passes of lower rank.
    package init(running passes: [Pass], pausedBy pauses: [Pause] = []) {
        let order = passes.indices.sorted { Pass.precedes(passes[$0], passes[$1]) }
        runners = order.map { Runner(passes[$0], at: $0) }
        run(through: Self.events(of: order.map { passes[$0] }, pausedBy: pauses))
    }

    private mutating func run(through events: [Event]) {
        var next = events.startIndex
        var now = Instant.distantPast
        while true {
            steps += 1
            while next < events.endIndex, events[next].at <= now {
                apply(events[next].change)
                next += 1
            }
            guard let first = firstThatMayRun() else {
                guard next < events.endIndex else { return }
                now = events[next].at
                continue
            }
            let runsOutAt = now + (runners[first].mayHaveRun - runners[first].ran)
            let end = next < events.endIndex ? min(runsOutAt, events[next].at) : runsOutAt
            runners[first].ran += end - now
            record(Run(pass: runners[first].pass, startsAt: now, endsAt: end))
            now = end
        }
    }

    private mutating func apply(_ change: Event.Change) {
        switch change {
        case .anchor(let position):
            runners[position].isHere = true
            waiting.insert(position)
        case .departure(let position):
            runners[position].isHere = false
        case .share(let position, let share):
            runners[position].mayHaveRun = min(
                runners[position].limit, Pass.paidLength(of: runners[position].length, refunded: share))
            waiting.insert(position)
        case .pause(let rank):
            pausedBelow = rank
        }
    }

    /// Returns the first waiting pass that may run; nil if a window pauses it, or none waits. Passes that have run out,
    /// are refunded or went to another user leave the queue only when they come to its head.
    private mutating func firstThatMayRun() -> Int? {
        while let first = waiting.smallest {
            guard runners[first].mayRun else {
                waiting.removeSmallest()
                continue
            }
            guard let pausedBelow, runners[first].rank < pausedBelow else { return first }
            return nil
        }
        return nil
    }

    private mutating func record(_ run: Run) {
        if let last = runs.last, last.pass == run.pass, last.endsAt == run.startsAt {
            runs[runs.count - 1] = Run(pass: run.pass, startsAt: last.startsAt, endsAt: run.endsAt)
        } else {
            runs.append(run)
        }
    }

    private static func events(of passes: [Pass], pausedBy pauses: [Pause]) -> [Event] {
        var events = pauseEvents(pauses)
        events.reserveCapacity(events.count + passes.count)
        for (position, pass) in passes.enumerated() {
            if let departure = pass.departure, departure.at <= pass.anchor { continue }
            events.append(Event(at: pass.anchor.writable, change: .anchor(position)))
            if let departure = pass.departure {
                events.append(Event(at: departure.at.writable, change: .departure(position)))
            }
            for step in pass.share.steps {
                events.append(Event(at: step.startsAt.writable, change: .share(position, step.share)))
            }
        }
        // A pass has one step of its share at an instant, so the order of events at one instant does not matter. An
        // exception are instants beyond the years of RFC 3339, which `writable` makes equal: for these the sort by
        // index keeps the original order.
        let order = events.indices.sorted { (events[$0].at, $0) < (events[$1].at, $1) }
        return order.map { events[$0] }
    }

    /// Returns an event for each edge of a pausing window, with the largest rank of the windows that are open then. The
    /// maximum is cheap to find, because few ranks are open at once.
    private static func pauseEvents(_ pauses: [Pause]) -> [Event] {
        let edges = pauses.flatMap { pause in
            pause.startsAt < pause.endsAt
                ? [(at: pause.startsAt, rank: pause.rank, opens: 1), (at: pause.endsAt, rank: pause.rank, opens: -1)]
                : []
        }
        var open: [Int: Int] = [:]
        return edges.sorted { $0.at < $1.at }.map { edge in
            let count = open[edge.rank, default: 0] + edge.opens
            open[edge.rank] = count == 0 ? nil : count
            return Event(at: edge.at.writable, change: .pause(from: open.keys.max()))
        }
    }
}
