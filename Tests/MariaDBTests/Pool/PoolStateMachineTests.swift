@testable import MariaDB
import Testing

/// The pool's decisions, without a socket.
@Suite struct PoolStateMachineTests {
    private static func limits(max: Int, waiters: Int = 10, min: Int = 0) -> PoolLimits {
        var limits = PoolLimits()
        limits.maxConnections = max
        limits.maxWaiters = waiters
        limits.minConnections = min
        return limits
    }

    @Test func `callers wait in order, and a connection goes to the one that came first`() {
        var machine = PoolStateMachine(Self.limits(max: 1))
        let (answer, effects) = machine.lease(1, at: .zero)
        #expect(answer == .wait)
        #expect(effects.opens == [1])
        #expect(machine.lease(2, at: .zero).0 == .wait)
        #expect(machine.lease(3, at: .zero).1.opens.isEmpty)
        #expect(machine.opened(1, at: .zero).lends.map(\.waiter) == [1])
        #expect(machine.release(1, isUsable: true, at: .zero).lends.map(\.waiter) == [2])
        #expect(machine.cancel(3).failures.map(\.refusal) == [.cancelled])
        #expect(machine.release(1, isUsable: true, at: .zero).lends.isEmpty)
        #expect(machine.lease(4, at: .seconds(1)).0 == .lend(.init(connection: 1, needsPing: false)))
        #expect(machine.release(1, isUsable: true, at: .seconds(1)).lends.isEmpty)
        #expect(machine.lease(5, at: .seconds(40)).0 == .lend(.init(connection: 1, needsPing: true)))
    }

    @Test func `an opening that fails is told when its reason is new, and again after a minute`() {
        var state = PoolState(PoolLimits())
        let denied = DatabaseError(.connectionLost, code: 1045, statement: "connect", words: "denied")
        let away = DatabaseError(.connectionLost, code: 2002, statement: "connect", words: "away")
        for (error, second, isTold) in [
            (denied, 0, true), (denied, 59, false), (denied, 60, true), (denied, 61, false), (away, 62, true),
            (denied, 63, true), (denied, 122, false), (denied, 123, true),
        ] as [(DatabaseError, Int, Bool)] {
            let told = state.noteFailure(error, at: .seconds(second))
            #expect(told == isTold, "\(error) after \(second) s")
        }
        #expect(state.lastFailure?.error.words == "denied")
    }

    @Test func `too many callers, and those that wait too long, are refused as overload`() {
        var machine = PoolStateMachine(Self.limits(max: 1, waiters: 2))
        #expect(machine.lease(1, at: .zero).0 == .wait)
        #expect(machine.lease(2, at: .seconds(1)).0 == .wait)
        #expect(machine.lease(3, at: .seconds(1)).0 == .refuse(.overloaded))
        #expect(machine.tick(at: .milliseconds(1999)).failures.isEmpty)
        #expect(machine.tick(at: .seconds(2)).failures.map(\.waiter) == [1])
        #expect(machine.tick(at: .seconds(3)).failures.map(\.waiter) == [2])
        #expect(machine.cancel(2).failures.isEmpty)
    }

    @Test func `failed openings are repeated ever more slowly; after a second callers are refused until one succeeds`()
    {
        var machine = PoolStateMachine(Self.limits(max: 4, min: 1))
        var now = Duration.zero
        #expect(machine.lease(1, at: now).0 == .wait)
        var opening = 1
        var attempts = 0
        while machine.waiterCount > 0 {
            let failed = machine.openFailed(opening, at: now)
            attempts += 1
            if !failed.failures.isEmpty { #expect(failed.failures.map(\.refusal) == [.unavailable]) }
            repeat { now += .milliseconds(5) } while !open(machine.tick(at: now))
        }
        func open(_ effects: PoolStateMachine.Effects) -> Bool {
            guard let id = effects.opens.first else { return false }
            opening = id
            return true
        }
        #expect((4...8).contains(attempts))
        #expect(machine.lease(2, at: now).0 == .refuse(.unavailable))
        #expect(machine.opened(opening, at: now).opens.isEmpty)
        #expect(machine.lease(3, at: now).0 == .lend(.init(connection: opening, needsPing: false)))
    }

    @Test func `dropping all closes idle connections now and lent ones when they come back`() {
        var machine = PoolStateMachine(Self.limits(max: 2))
        _ = machine.lease(1, at: .zero)
        _ = machine.lease(2, at: .zero)
        _ = machine.opened(1, at: .zero)
        _ = machine.opened(2, at: .zero)
        _ = machine.release(2, isUsable: true, at: .zero)
        #expect(machine.dropAll().closes == [2])
        #expect(machine.release(1, isUsable: true, at: .zero).closes == [1])
        #expect(machine.lease(3, at: .zero).1.opens.isEmpty)
        #expect(machine.closed(1, at: .zero).opens.count == 1)
        #expect(machine.closed(2, at: .zero).opens.isEmpty)
    }

    @Test func `shutting down refuses who waits, closes what is idle, and drains when the last comes back`() {
        var machine = PoolStateMachine(Self.limits(max: 2))
        _ = machine.lease(1, at: .zero)
        _ = machine.opened(1, at: .zero)
        _ = machine.lease(2, at: .zero)
        #expect(machine.shutDown().failures.map(\.refusal) == [.shuttingDown])
        #expect(machine.lease(3, at: .zero).0 == .refuse(.shuttingDown))
        #expect(machine.opened(2, at: .zero).closes == [2])
        #expect(machine.closed(2, at: .zero).opens.isEmpty)
        #expect(!machine.isDrained)
        #expect(machine.release(1, isUsable: true, at: .zero).closes == [1])
        _ = machine.closed(1, at: .zero)
        #expect(machine.isDrained)
    }

    @Test(arguments: 0..<60)
    func `whatever happens, no waiter is lost and no connection too many`(seed: Int) {
        var walk = PoolWalk(seed: UInt64(seed), limits: Self.limits(max: 1 + seed % 5, waiters: 6, min: seed % 2))
        for _ in 0..<2_000 { walk.step() }
        walk.end()
    }
}

/// A random walk over the pool's events that keeps its own books.
private struct PoolWalk {
    private var machine: PoolStateMachine
    private let limits: PoolLimits
    private var random: SplitMix
    private var now = Duration.zero
    private var nextWaiter = 0
    private var waiting: [Int] = []
    private var opening: Set<Int> = []
    private var closing: Set<Int> = []
    private var leased: Set<Int> = []

    init(seed: UInt64, limits: PoolLimits) {
        machine = PoolStateMachine(limits)
        self.limits = limits
        random = SplitMix(state: seed)
    }

    mutating func step() {
        now += .milliseconds(Int.random(in: 0...60, using: &random))
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: lease()
        case 7: cancel()
        case 8..<13: release()
        case 13..<15: if let id = opening.randomElement(using: &random) { opened(id) }
        case 15: if let id = opening.randomElement(using: &random) { openFailed(id) }
        case 16, 17: if let id = closing.randomElement(using: &random) { closed(id) }
        case 18: take(machine.tick(at: now))
        default:
            switch Int.random(in: 0..<40, using: &random) {
            case 0: take(machine.dropAll())
            case 1: take(machine.dropIdle())
            default: break
            }
        }
        check()
    }

    /// Shuts down and lets everything end: nobody may be left waiting.
    mutating func end() {
        take(machine.shutDown())
        #expect(waiting.isEmpty)
        while let id = opening.first { opened(id) }
        while let id = leased.first {
            leased.remove(id)
            take(machine.release(id, isUsable: true, at: now))
        }
        while let id = closing.first { closed(id) }
        #expect(machine.isDrained)
    }

    private mutating func lease() {
        nextWaiter += 1
        let (answer, effects) = machine.lease(nextWaiter, at: now)
        switch answer {
        case .wait: waiting.append(nextWaiter)
        case .lend(let lend):
            #expect(waiting.isEmpty, "an idle connection was kept while others wait")
            #expect(leased.insert(lend.connection).inserted)
        case .refuse(let refusal): #expect(refusal == .overloaded || refusal == .unavailable)
        }
        take(effects)
    }

    private mutating func cancel() {
        // One that was answered long ago may be cancelled too.
        let waiter = Int.random(in: 0...nextWaiter, using: &random)
        let isWaiting = waiting.contains(waiter)
        let effects = machine.cancel(waiter)
        #expect(effects.failures.count == (isWaiting ? 1 : 0))
        take(effects)
    }

    private mutating func release() {
        guard let id = leased.randomElement(using: &random) else { return }
        leased.remove(id)
        take(machine.release(id, isUsable: Int.random(in: 0..<5, using: &random) > 0, at: now))
    }

    private mutating func opened(_ id: Int) {
        opening.remove(id)
        take(machine.opened(id, at: now))
    }

    private mutating func openFailed(_ id: Int) {
        opening.remove(id)
        take(machine.openFailed(id, at: now))
    }

    private mutating func closed(_ id: Int) {
        closing.remove(id)
        take(machine.closed(id, at: now))
    }

    private mutating func take(_ effects: PoolStateMachine.Effects) {
        for (waiter, lend) in effects.lends {
            #expect(waiting.first == waiter, "waiters are served in order")
            waiting.removeAll { $0 == waiter }
            #expect(leased.insert(lend.connection).inserted)
        }
        for (waiter, _) in effects.failures {
            #expect(waiting.contains(waiter))
            waiting.removeAll { $0 == waiter }
        }
        for id in effects.opens { #expect(opening.insert(id).inserted) }
        for id in effects.closes { #expect(closing.insert(id).inserted) }
    }

    private func check() {
        #expect(machine.connectionCount <= limits.maxConnections)
        #expect(machine.connectionCount == machine.idleCount + leased.count + opening.count + closing.count)
        #expect(machine.waiterCount == waiting.count)
        #expect(waiting.isEmpty || machine.idleCount == 0)
    }
}

/// A small generator with a seed, so that a failing walk can be walked again.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
