import DequeModule

/// The state of a pool as a value: its connections and waiting callers, without sockets, clock or threads.
///
/// Each event changes the state and returns the effects that the pool has to carry out. Instants are parameters, as the
/// time since some fixed start.
///
/// Invariants:
///
/// * There are never more than `maxConnections` connections, including those that are being opened or closed.
/// * Callers wait only while no connection is idle, in the order of arrival.
/// * Every waiting caller gets exactly one answer: a connection or a refusal.
package struct PoolStateMachine {
    /// The id of one connection, from before it is opened until it is closed.
    package typealias ConnectionID = Int
    /// The id of one caller that may have to wait.
    package typealias WaiterID = Int

    /// The reason why a caller gets no connection.
    package enum Refusal: Hashable, Sendable {
        case shuttingDown, unavailable, overloaded, cancelled
    }

    /// A connection lent to a caller.
    package struct Lend: Hashable, Sendable {
        package let connection: ConnectionID
        /// True if the connection was idle for so long that the server may have dropped it.
        package let needsPing: Bool
    }

    /// The work that the pool has to do after an event.
    package struct Effects {
        package var lends: [(waiter: WaiterID, lend: Lend)] = []
        package var failures: [(waiter: WaiterID, refusal: Refusal)] = []
        package var opens: [ConnectionID] = []
        package var closes: [ConnectionID] = []
    }

    /// The answer to a caller that asks for a connection.
    package enum Answer: Hashable, Sendable {
        case lend(Lend)
        case wait
        case refuse(Refusal)
    }

    /// The phase of a connection's life.
    private enum Phase {
        case opening, idle, leased, closing
    }

    /// The state of a connection.
    private struct Slot {
        var phase: Phase
        /// True if the connection is to be closed once it is open or given back.
        var isDoomed = false
        var idleAt = Duration.zero
    }

    /// A caller that waits.
    private struct Waiter {
        let id: WaiterID
        let endsAt: Duration
    }

    private let limits: PoolLimits
    private var slots: [ConnectionID: Slot] = [:]
    /// The idle connections, the most recently used last. The last one is lent first, so that unneeded connections stay
    /// idle.
    private var idle: [ConnectionID] = []
    private var waiters: Deque<Waiter> = []
    private var nextID = 0
    private var openingCount = 0
    private var failures = 0
    private var failingSince: Duration?
    private var nextOpenAt = Duration.zero
    private var isShuttingDown = false

    /// An empty pool.
    package init(_ limits: PoolLimits) {
        self.limits = limits
    }

    /// The number of connections, including those that are being opened or closed.
    package var connectionCount: Int { slots.count }
    /// The number of connections that nobody uses.
    package var idleCount: Int { idle.count }
    /// The number of callers that wait.
    package var waiterCount: Int { waiters.count }
    /// The number of connections that are lent.
    package var leasedCount: Int { slots.values.count { $0.phase == .leased } }
    /// True if the pool was shut down and has no connection left.
    package var isDrained: Bool { isShuttingDown && slots.isEmpty }

    /// Handles a caller that asks for a connection.
    package mutating func lease(_ waiter: WaiterID, at now: Duration) -> (Answer, Effects) {
        var effects = Effects()
        guard !isShuttingDown else { return (.refuse(.shuttingDown), effects) }
        if let lend = lendIdle(at: now) { return (.lend(lend), effects) }
        guard !isCircuitOpen(at: now) else { return (.refuse(.unavailable), effects) }
        guard waiters.count < limits.maxWaiters else { return (.refuse(.overloaded), effects) }
        waiters.append(Waiter(id: waiter, endsAt: now + limits.waitTimeout))
        openAsNeeded(at: now, &effects)
        return (.wait, effects)
    }

    /// Handles a waiting caller that gives up.
    package mutating func cancel(_ waiter: WaiterID) -> Effects {
        var effects = Effects()
        if let index = waiters.firstIndex(where: { $0.id == waiter }) {
            waiters.remove(at: index)
            effects.failures.append((waiter, .cancelled))
        }
        return effects
    }

    /// Handles a connection that a caller gives back.
    package mutating func release(_ connection: ConnectionID, isUsable: Bool, at now: Duration) -> Effects {
        var effects = Effects()
        guard let slot = slots[connection], slot.phase == .leased else { return effects }
        if isUsable, !slot.isDoomed, !isShuttingDown {
            offer(connection, at: now, &effects)
        } else {
            close(connection, &effects)
        }
        return effects
    }

    /// Handles a connection that was opened.
    package mutating func opened(_ connection: ConnectionID, at now: Duration) -> Effects {
        var effects = Effects()
        guard let slot = slots[connection], slot.phase == .opening else { return effects }
        openingCount -= 1
        failures = 0
        failingSince = nil
        if isShuttingDown || slot.isDoomed {
            close(connection, &effects)
        } else {
            offer(connection, at: now, &effects)
            openAsNeeded(at: now, &effects)
        }
        return effects
    }

    /// Handles a connection that could not be opened. The pause before the next attempt grows each time.
    ///
    /// If openings have failed for `circuitDelay` and no connection is lent, callers are refused at once until an
    /// attempt succeeds.
    package mutating func openFailed(_ connection: ConnectionID, at now: Duration) -> Effects {
        var effects = Effects()
        guard let slot = slots[connection], slot.phase == .opening else { return effects }
        openingCount -= 1
        slots[connection] = nil
        failingSince = failingSince ?? now
        nextOpenAt = now + limits.backOff(afterFailures: failures)
        failures += 1
        if isCircuitOpen(at: now) { failWaiters(.unavailable, &effects) }
        return effects
    }

    /// Handles a connection that was closed.
    package mutating func closed(_ connection: ConnectionID, at now: Duration) -> Effects {
        var effects = Effects()
        guard let slot = slots[connection], slot.phase == .closing else { return effects }
        slots[connection] = nil
        openAsNeeded(at: now, &effects)
        return effects
    }

    /// Handles the passing of time: refuses callers that waited too long, and begins openings that are due.
    package mutating func tick(at now: Duration) -> Effects {
        var effects = Effects()
        while let first = waiters.first, first.endsAt <= now {
            waiters.removeFirst()
            effects.failures.append((first.id, .overloaded))
        }
        openAsNeeded(at: now, &effects)
        return effects
    }

    /// Closes all connections but `kept`, because they lead to the wrong server; lent ones are closed when they are
    /// given back.
    package mutating func dropAll(but kept: ConnectionID? = nil) -> Effects {
        var effects = Effects()
        for id in slots.keys where id != kept { slots[id]?.isDoomed = true }
        closeIdle(&effects)
        return effects
    }

    /// Closes a connection once it is open or given back, because it leads to the wrong server.
    package mutating func doom(_ connection: ConnectionID) { slots[connection]?.isDoomed = true }

    /// True if a connection is idle or lent that is not to be closed.
    package var hasSound: Bool {
        slots.values.contains { ($0.phase == .idle || $0.phase == .leased) && !$0.isDoomed }
    }

    /// True if a connection is closed when it is given back, because it leads to the wrong server.
    package func isDoomed(_ connection: ConnectionID) -> Bool { slots[connection]?.isDoomed ?? true }

    /// Closes all idle connections, because one was dead when it was lent and the others are probably dead too.
    package mutating func dropIdle() -> Effects {
        var effects = Effects()
        closeIdle(&effects)
        return effects
    }

    /// Shuts the pool down: refuses waiting callers, closes idle connections, and closes lent ones when they are given
    /// back.
    package mutating func shutDown() -> Effects {
        var effects = Effects()
        isShuttingDown = true
        failWaiters(.shuttingDown, &effects)
        closeIdle(&effects)
        return effects
    }

    private mutating func lendIdle(at now: Duration) -> Lend? {
        guard let id = idle.popLast() else { return nil }
        let idleFor = now - (slots[id]?.idleAt ?? now)
        slots[id]?.phase = .leased
        return Lend(connection: id, needsPing: idleFor > limits.pingAfterIdle)
    }

    /// Lends a free connection to the caller that has waited longest, or makes it idle.
    private mutating func offer(_ connection: ConnectionID, at now: Duration, _ effects: inout Effects) {
        if let first = waiters.popFirst() {
            slots[connection]?.phase = .leased
            effects.lends.append((first.id, Lend(connection: connection, needsPing: false)))
        } else {
            slots[connection]?.phase = .idle
            slots[connection]?.idleAt = now
            idle.append(connection)
        }
    }

    private mutating func close(_ connection: ConnectionID, _ effects: inout Effects) {
        slots[connection]?.phase = .closing
        effects.closes.append(connection)
    }

    private mutating func closeIdle(_ effects: inout Effects) {
        for id in idle { close(id, &effects) }
        idle = []
    }

    private mutating func failWaiters(_ refusal: Refusal, _ effects: inout Effects) {
        effects.failures += waiters.map { ($0.id, refusal) }
        waiters = []
    }

    /// True if openings have failed for so long that callers are refused instead of waiting.
    private func isCircuitOpen(at now: Duration) -> Bool {
        guard let failingSince, now - failingSince >= limits.circuitDelay else { return false }
        return !slots.values.contains { $0.phase == .leased && !$0.isDoomed }
    }

    /// Begins openings: one for each waiting caller that has none under way, and up to `minConnections`. After a
    /// failure it begins one at a time, when it is due.
    private mutating func openAsNeeded(at now: Duration, _ effects: inout Effects) {
        guard !isShuttingDown else { return }
        var wanted = max(waiters.count - openingCount, limits.minConnections - slots.count)
        if failures > 0 {
            wanted = openingCount == 0 && nextOpenAt <= now ? 1 : 0
        }
        for _ in 0..<max(0, min(wanted, limits.maxConnections - slots.count)) {
            nextID += 1
            slots[nextID] = Slot(phase: .opening)
            openingCount += 1
            effects.opens.append(nextID)
        }
    }
}
