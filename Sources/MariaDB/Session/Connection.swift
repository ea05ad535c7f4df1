/// A connection to the server, on a thread of its own.
///
/// Units of work run one after the other on that thread, synchronously; the cooperative pool is never blocked.
/// Invariant: between two units no transaction is open; a connection found otherwise is broken.
package actor Connection {
    /// A unit of work's answer, and whether the connection can serve another unit.
    struct Outcome<T: Sendable>: Sendable {
        let result: Result<T, DatabaseError>
        let isUsable: Bool
        /// True if the unit failed before it sent anything, so that it may be run elsewhere.
        let isUntouched: Bool
    }

    /// How a connection is looked at before a unit uses it.
    enum Check: Sendable {
        /// Costs one system call: whether the server has closed the connection meanwhile.
        case socket
        /// A sign of life from the server, which costs a round trip.
        case ping
    }

    private let executor: ThreadExecutor
    private var session: Session?

    private init(name: String) {
        executor = ThreadExecutor(name: name)
    }

    /// Every job of this actor runs on its thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Connects and pins the session's settings. Throws `.connectionLost` when no endpoint answers, `.sessionNotPinned`
    /// when a setting did not stick. `name` becomes the thread's name; 15 bytes are kept.
    package static func open(
        _ settings: ConnectionSettings, name: String = "mariadb"
    ) async throws(DatabaseError) -> Connection {
        let connection = Connection(name: name)
        do {
            try await connection.connect(settings)
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    /// Runs `body` on the connection's thread. Throws what `body` throws, and `.connectionLost` when the connection was
    /// broken before.
    @discardableResult
    package func with<T: Sendable>(
        _ body: @Sendable (Session) throws(DatabaseError) -> T
    ) throws(DatabaseError) -> T {
        try unit(after: .socket, body).result.get()
    }

    /// Runs `body` in a transaction on the connection's thread, once. Throws what `Session.transaction` throws.
    @discardableResult
    package func transaction<T: Sendable>(
        _ body: @Sendable (Session) throws(DatabaseError) -> T
    ) throws(DatabaseError) -> T {
        try with { (session) throws(DatabaseError) in try session.transaction(body) }
    }

    /// Closes the connection and waits until its thread has ended. May be called twice.
    package nonisolated func close() async {
        await disconnect()
        // The thread has nothing left to do, so this waits for its last instructions only.
        executor.stopAndJoin()
    }

    /// Runs one unit of work, after a look at the connection.
    func unit<T: Sendable>(
        after check: Check, _ body: @Sendable (Session) throws(DatabaseError) -> T
    ) -> Outcome<T> {
        guard let session, !session.isBroken, isAlive(session, check) else {
            let error = DatabaseError(.connectionLost, statement: Wire.connecting)
            return Outcome(result: .failure(error), isUsable: false, isUntouched: true)
        }
        session.hasSent = false
        do {
            let value = try body(session)
            // A transaction left open by hand would leak its locks and its writes into the next unit.
            if session.wire.isInTransaction { session.isBroken = true }
            return Outcome(result: .success(value), isUsable: !session.isBroken, isUntouched: false)
        } catch {
            let isUntouched = error.isConnectionLost && !session.hasSent
            if session.wire.isInTransaction { session.isBroken = true }
            return Outcome(result: .failure(error), isUsable: !session.isBroken, isUntouched: isUntouched)
        }
    }

    /// Bytes that wait while the connection is idle are a farewell, or a ticket of TLS: a ping tells which.
    private func isAlive(_ session: Session, _ check: Check) -> Bool {
        if check == .socket, session.wire.isQuiet { return true }
        do {
            try session.ping()
            return true
        } catch {
            return false
        }
    }

    private func connect(_ settings: ConnectionSettings) throws(DatabaseError) {
        session = try Session(settings)
    }

    private func disconnect() {
        session = nil
    }
}
