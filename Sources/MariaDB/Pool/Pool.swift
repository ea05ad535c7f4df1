package import Logging
import Synchronization

/// A pool of connections to one database. Each connection is lent to one unit of work at a time.
///
/// All connections lead to one server. When a new connection leads to another one, because a proxy leads there now or
/// no other connection is left, the pool moves: all other connections are dropped.
///
/// `run()` opens, watches and closes connections; before it runs, nothing is lent. ``PoolStateMachine`` makes the
/// decisions.
package final class Pool: Sendable {
    private typealias ConnectionID = PoolStateMachine.ConnectionID
    private typealias WaiterID = PoolStateMachine.WaiterID

    /// The interval at which waiting callers and delayed openings are checked.
    private static let tickInterval = Duration.milliseconds(25)
    private static let leasing = "lease"

    private let settings: ConnectionSettings
    private let surroundings: PoolSurroundings
    private let logger: Logger
    private let name: String
    private let noteFailure: @Sendable (DatabaseError, _ isRunAgain: Bool) -> Void
    private let state: Mutex<PoolState>

    /// A pool, which opens nothing until `run()` is called.
    ///
    /// - Parameters:
    ///   - name: The beginning of the threads' names; its first 11 bytes are used.
    ///   - noteFailure: Called for each failed run of a transaction, with its error, and with whether the transaction
    ///     is run again.
    package init(
        _ settings: ConnectionSettings, limits: PoolLimits = PoolLimits(), name: String = "mariadb",
        surroundings: PoolSurroundings, logger: Logger,
        noteFailure: @escaping @Sendable (DatabaseError, _ isRunAgain: Bool) -> Void = { _, _ in }
    ) {
        self.settings = settings
        self.surroundings = surroundings
        self.logger = logger
        self.name = name
        self.noteFailure = noteFailure
        state = Mutex(PoolState(limits))
    }

    /// Runs the pool until `shutDown()` is called or the task is cancelled, and every unit of work has ended. When it
    /// returns, every thread of the pool has ended.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.tick() }
                advance { $0.tick(at: $1) }
                while let errands = await nextErrands() {
                    for errand in errands {
                        group.addTask { await self.carryOut(errand) }
                    }
                }
                group.cancelAll()
            }
        } onCancel: {
            shutDown()
        }
    }

    /// The numbers of open, idle and lent connections and of waiting callers.
    package var load: PoolLoad {
        state.withLock { state in
            PoolLoad(
                open: state.machine.connectionCount, idle: state.machine.idleCount, inUse: state.machine.leasedCount,
                waiting: state.machine.waiterCount)
        }
    }

    /// Refuses new units of work and lets running ones end; then `run()` returns.
    package func shutDown() {
        advance { machine, _ in machine.shutDown() }
    }

    /// Runs `body` once, on a connection of the pool and on that connection's thread. Waits for a connection.
    ///
    /// If the connection is dead before anything was sent, or its node refused BEGIN or the first statement because it
    /// has no cluster, the connection is replaced once. The other idle connections are closed too, so that the second
    /// connection is new or in use. So a frozen server costs one time limit, not many.
    ///
    /// Throws what `body` throws. Before `body` ran, throws `.overloaded`, `.unavailable`, `.shuttingDown` or
    /// `.cancelled`.
    @discardableResult
    package func with<T: Sendable>(
        _ body: @Sendable (Session) throws(DatabaseError) -> T
    ) async throws(DatabaseError) -> T {
        var isSecondTry = false
        while true {
            let lease = try await lease()
            let outcome = await lease.connection.unit(after: lease.check, body)
            if case .failure(let error) = outcome.result, error.isWrongNode { drop(lease.id, because: error) }
            advance { $0.release(lease.id, isUsable: outcome.isUsable, at: $1) }
            switch outcome.result {
            case .success(let value):
                return value
            case .failure(let error):
                if outcome.isUntouched, !isSecondTry {
                    isSecondTry = true
                    advance { machine, _ in machine.dropIdle() }
                    continue
                }
                throw error
            }
        }
    }

    /// Runs `body` in a transaction, again if needed.
    ///
    /// `body` may run several times. After a deadlock, a lock wait time-out or a failed certification it runs again up
    /// to `retries` times, after a lock wait time-out less often; after a lost connection, or on a node that lost its
    /// cluster, up to twice.
    ///
    /// If the connection broke at COMMIT, the earlier run may be committed already, or a little later. A repeat is safe
    /// only if `body` writes under the same unique key each time. Then it collides with the rows of the earlier run, or
    /// finds them. The session's `isInDoubt` tells it that it is such a repeat. `body` must have no effect outside the
    /// database.
    ///
    /// Throws what `body` throws, and `.commitUnknown` if the outcome of a COMMIT is unknown and no repeat settled it.
    /// Before `body` ran, throws `.overloaded`, `.unavailable`, `.shuttingDown` or `.cancelled`.
    @discardableResult
    package func transaction<T: Sendable>(
        retries: Int = 20, _ body: @Sendable (Session) throws(DatabaseError) -> T
    ) async throws(DatabaseError) -> T {
        var policy = RetryPolicy(retries: retries)
        while true {
            do {
                let isInDoubt = policy.isInDoubt
                return try await with { (session) throws(DatabaseError) in
                    session.isInDoubt = isInDoubt
                    defer { session.isInDoubt = false }
                    return try session.transaction(body)
                }
            } catch {
                let pause = policy.pause(after: error, jitter: surroundings.jitter())
                noteFailure(error, pause != nil)
                guard let pause else { throw policy.verdict(on: error) }
                logger.debug("transaction is run again", metadata: ["error": "\(error)"])
                do {
                    try await Task.sleep(for: pause)
                } catch is CancellationError {
                    throw policy.verdict(on: DatabaseError(.cancelled, statement: error.statement))
                } catch {
                    throw policy.verdict(on: DatabaseError(.cancelled, statement: Self.leasing))
                }
            }
        }
    }
}

extension Pool {
    /// A connection: at once if one is idle, else when one becomes free.
    private func lease() async throws(DatabaseError) -> PoolState.Lease {
        let (id, grant) = state.withLock { state -> (WaiterID, PoolState.Grant?) in
            state.nextWaiter += 1
            guard state.machine.idleCount > 0 else { return (state.nextWaiter, nil) }
            let (answer, _) = state.machine.lease(state.nextWaiter, at: surroundings.now())
            return (state.nextWaiter, state.grant(answer))
        }
        if let grant { return try grant.get() }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { enqueue(id, $0) }
        } onCancel: {
            advance { machine, _ in machine.cancel(id) }
        }.get()
    }

    private func enqueue(_ id: WaiterID, _ continuation: CheckedContinuation<PoolState.Grant, Never>) {
        let wakes = state.withLock { state -> PoolState.Wakes in
            let (answer, effects) = state.machine.lease(id, at: surroundings.now())
            var wakes = PoolState.Wakes()
            if let grant = state.grant(answer) {
                wakes.grants.append((continuation, grant))
            } else {
                state.waiters[id] = continuation
            }
            state.settle(effects, &wakes)
            return wakes
        }
        wakes.resume()
        // If the task was cancelled before the waiter was stored, the cancellation handler found nothing to cancel.
        if Task.isCancelled { advance { machine, _ in machine.cancel(id) } }
    }

    /// Passes an event to the state machine and carries out its effects.
    private func advance(_ event: (inout PoolStateMachine, Duration) -> PoolStateMachine.Effects) {
        let wakes = state.withLock { state -> PoolState.Wakes in
            var wakes = PoolState.Wakes()
            let effects = event(&state.machine, surroundings.now())
            state.settle(effects, &wakes)
            return wakes
        }
        wakes.resume()
    }

    /// Drops all connections because the server of one of them takes no writes, unless the pool has left that server.
    private func drop(_ connection: ConnectionID, because error: DatabaseError) {
        var isDropped = false
        advance { machine, _ in
            isDropped = !machine.isDoomed(connection)
            return isDropped ? machine.dropAll() : PoolStateMachine.Effects()
        }
        guard isDropped else { return }
        logger.warning("the server takes no writes; all connections are dropped", metadata: ["error": "\(error)"])
    }

    private func tick() async {
        while !Task.isCancelled {
            advance { $0.tick(at: $1) }
            // Only a cancellation ends the sleep early; the loop checks for it.
            try? await Task.sleep(for: Self.tickInterval)
        }
    }

    /// The next errands; nil once the pool is drained.
    private func nextErrands() async -> [PoolState.Errand]? {
        while true {
            let (errands, isDrained) = state.withLock { state in
                defer { state.errands = [] }
                return (state.errands, state.machine.isDrained)
            }
            if !errands.isEmpty { return errands }
            if isDrained { return nil }
            await withCheckedContinuation { continuation in
                let isIdle = state.withLock { state in
                    guard state.errands.isEmpty, !state.machine.isDrained else { return false }
                    state.runner = continuation
                    return true
                }
                if !isIdle { continuation.resume() }
            }
        }
    }

    private func carryOut(_ errand: PoolState.Errand) async {
        switch errand {
        case .open(let id): await open(id)
        case .close(let id, let connection):
            await connection.close()
            advance { $0.closed(id, at: $1) }
        }
    }

    private func open(_ id: ConnectionID) async {
        let (preferred, isSettled) = state.withLock { ($0.node?.endpoint ?? 0, $0.machine.hasSound) }
        do {
            let (connection, node) = try await Connection.open(
                settings, at: preferred, only: isSettled, name: "\(name.prefix(11))-\(id)")
            let (isBack, left, wakes) = state.withLock { state -> (Bool, ServerNode?, PoolState.Wakes) in
                var wakes = PoolState.Wakes()
                let isBack = state.noteOpened(connection, as: id)
                var left: ServerNode?
                // A doomed connection was begun before the pool moved, so it may lead to the server that was left.
                if !state.machine.isDoomed(id) {
                    if let before = state.node, before.endpoint != node.endpoint, state.machine.hasSound {
                        // Several openings began without a connection, and this one alone went elsewhere.
                        state.machine.doom(id)
                    } else {
                        if let before = state.node, before != node {
                            left = before
                            state.settle(state.machine.dropAll(but: id), &wakes)
                        }
                        state.node = node
                    }
                }
                state.settle(state.machine.opened(id, at: surroundings.now()), &wakes)
                return (isBack, left, wakes)
            }
            wakes.resume()
            if isBack { logger.notice("the database is back", metadata: ["node": "\(node.name)"]) }
            if let left {
                logger.warning(
                    "the database is another server now", metadata: ["left": "\(left.name)", "node": "\(node.name)"])
            }
        } catch {
            let isTold = state.withLock { $0.noteFailure(error, at: surroundings.now()) }
            if isTold { logger.error("no connection to the database", metadata: ["error": "\(error)"]) }
            advance { $0.openFailed(id, at: $1) }
        }
    }
}
