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
    /// The error of the last opening; nil if it succeeded.
    var lastFailure: DatabaseError?
    /// The server to which the pool's connections lead; nil before the first.
    var node: ServerNode?

    init(_ limits: PoolLimits) {
        machine = PoolStateMachine(limits)
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
        let code = refusal == .unavailable ? lastFailure : nil
        return DatabaseError(cause, code: code?.code ?? 0, sqlState: code?.sqlState ?? "", statement: "lease")
    }
}
