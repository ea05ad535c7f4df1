/// The state that a `Pool` keeps under its lock: the state machine, and the connections and callers behind the
/// machine's ids.
struct PoolState {
    typealias ConnectionID = PoolStateMachine.ConnectionID
    typealias WaiterID = PoolStateMachine.WaiterID
    typealias Grant = Result<Lease, DatabaseError>

    /// A connection that is lent to one caller.
    struct Lease: Sendable {
        let id: ConnectionID
        let connection: Connection
        let check: Connection.Check
    }

    /// A task for `Pool.run()`.
    enum Errand: Sendable {
        case open(ConnectionID)
        case close(ConnectionID, Connection)
    }

    /// The tasks to resume once the lock is released.
    struct Wakes {
        var grants: [(CheckedContinuation<Grant, Never>, Grant)] = []
        var runner: CheckedContinuation<Void, Never>?

        func resume() {
            for (continuation, grant) in grants { continuation.resume(returning: grant) }
            runner?.resume()
        }
    }

    var machine: PoolStateMachine
    var connections: [ConnectionID: Connection] = [:]
    var waiters: [WaiterID: CheckedContinuation<Grant, Never>] = [:]
    var nextWaiter = 0
    var errands: [Errand] = []
    var runner: CheckedContinuation<Void, Never>?
    /// The error of the last opening, and when one of its kind was told; nil if the opening succeeded.
    private(set) var lastFailure: (error: DatabaseError, toldAt: Duration)?
    /// The server to which the pool's connections lead; nil before the first.
    var node: ServerNode?

    /// The time after which an error that lasts is told again.
    private static let silence = Duration.seconds(60)

    init(_ limits: PoolLimits) {
        machine = PoolStateMachine(limits)
    }

    /// Notes an opening that failed. True if it is to be told: for the first time, or again after a minute.
    mutating func noteFailure(_ error: DatabaseError, at now: Duration) -> Bool {
        if let last = lastFailure, last.error.cause == error.cause, last.error.code == error.code,
            now - last.toldAt < Self.silence
        {
            lastFailure = (error, last.toldAt)
            return false
        }
        lastFailure = (error, now)
        return true
    }

    /// Keeps a connection that was opened. True if there was none, because the last opening failed.
    mutating func noteOpened(_ connection: Connection, as id: ConnectionID) -> Bool {
        let isBack = lastFailure != nil && connections.isEmpty
        connections[id] = connection
        lastFailure = nil
        return isBack
    }

    /// The answer for the caller; nil if the caller has to wait.
    func grant(_ answer: PoolStateMachine.Answer) -> Grant? {
        switch answer {
        case .wait: nil
        case .lend(let lend): grant(lend)
        case .refuse(let refusal): .failure(error(for: refusal))
        }
    }

    func grant(_ lend: PoolStateMachine.Lend) -> Grant {
        guard let connection = connections[lend.connection] else { return .failure(error(for: .unavailable)) }
        return .success(
            Lease(id: lend.connection, connection: connection, check: lend.needsPing ? .ping : .socket))
    }

    mutating func settle(_ effects: PoolStateMachine.Effects, _ wakes: inout Wakes) {
        for (waiter, lend) in effects.lends {
            if let continuation = waiters.removeValue(forKey: waiter) {
                wakes.grants.append((continuation, grant(lend)))
            }
        }
        for (waiter, refusal) in effects.failures {
            guard let continuation = waiters.removeValue(forKey: waiter) else { continue }
            wakes.grants.append((continuation, .failure(error(for: refusal))))
        }
        errands += effects.opens.map(Errand.open)
        for id in effects.closes {
            if let connection = connections.removeValue(forKey: id) { errands.append(.close(id, connection)) }
        }
        // The pool may settle twice under one lock: the second time must not forget the runner of the first.
        if let runner, !errands.isEmpty || machine.isDrained {
            wakes.runner = runner
            self.runner = nil
        }
    }

    private func error(for refusal: PoolStateMachine.Refusal) -> DatabaseError {
        let cause: DatabaseError.Cause =
            switch refusal {
            case .shuttingDown: .shuttingDown
            case .unavailable: .unavailable
            case .overloaded: .overloaded
            case .cancelled: .cancelled
            }
        let reason = refusal == .unavailable ? lastFailure?.error : nil
        return DatabaseError(
            cause, code: reason?.code ?? 0, sqlState: reason?.sqlState ?? "", statement: "lease",
            words: reason?.words ?? "")
    }
}
