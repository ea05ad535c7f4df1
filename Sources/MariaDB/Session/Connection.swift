/// A connection to the server, with a thread of its own.
///
/// Units of work run on that thread one after the other and synchronously, so that blocking calls never block the
/// cooperative pool.
///
/// Invariant: no transaction is open between two units. A connection with an open transaction counts as broken.
package actor Connection {
    /// The result of a unit of work, and whether the connection can serve another unit.
    struct Outcome<T: Sendable>: Sendable {
        let result: Result<T, DatabaseError>
        let isUsable: Bool
        /// True if the unit failed before it sent anything, or the server refused BEGIN or the first statement as a
        /// node without its cluster, which carries out nothing. So the unit may be run on another connection.
        let isUntouched: Bool
    }

    /// The way in which a connection is checked before a unit of work uses it.
    enum Check: Sendable {
        /// Checks whether the server has closed the connection; costs one system call.
        case socket
        /// Pings the server; costs one round trip.
        case ping
    }

    private let executor: ThreadExecutor
    private var session: Session?

    private init(name: String) {
        executor = ThreadExecutor(name: name)
    }

    /// The executor of this actor, which runs every job on the connection's thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Connects, sets the session's settings and reads them back.
    ///
    /// Throws `.connectionLost` if no endpoint answers, `.sessionNotPinned` if a setting did not take effect.
    ///
    /// - Parameter name: The name of the thread; its first 15 bytes are used.
    package static func open(
        _ settings: ConnectionSettings, name: String = "mariadb"
    ) async throws(DatabaseError) -> Connection {
        try await open(settings, at: 0, only: false, name: name).connection
    }

    /// Connects like ``open(_:name:)``, to the endpoint with the index `preferred` first, or to this one only. Returns
    /// the server too.
    static func open(
        _ settings: ConnectionSettings, at preferred: Int, only isSettled: Bool, name: String
    ) async throws(DatabaseError) -> (connection: Connection, node: ServerNode) {
        let connection = Connection(name: name)
        do {
            let node = try await connection.connect(settings, at: preferred, only: isSettled)
            return (connection, node)
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Runs `body` on the connection's thread. Throws what `body` throws, and `.connectionLost` if the connection was
    /// already broken.
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

    /// Closes the connection and waits until its thread has ended. It may be called twice.
    package nonisolated func close() async {
        await disconnect()
        // The thread has no work left, so this blocks only briefly.
        executor.stopAndJoin()
    }

    /// Runs one unit of work, after a check of the connection.
    func unit<T: Sendable>(
        after check: Check, _ body: @Sendable (Session) throws(DatabaseError) -> T
    ) -> Outcome<T> {
        guard let session, !session.isBroken, isAlive(session, check) else {
            let error = DatabaseError(.connectionLost, statement: Wire.connecting)
            return Outcome(result: .failure(error), isUsable: false, isUntouched: true)
        }
        session.sentCount = 0
        do {
            let value = try body(session)
            // A transaction that is left open would carry its locks and writes into the next unit.
            if session.wire.isInTransaction { session.isBroken = true }
            return Outcome(result: .success(value), isUsable: !session.isBroken, isUntouched: false)
        } catch {
            let isUntouched =
                error.isConnectionLost && session.sentCount == 0
                || error.isNodeWithoutCluster && session.sentCount <= 1
            if session.wire.isInTransaction { session.isBroken = true }
            return Outcome(result: .failure(error), isUsable: !session.isBroken, isUntouched: isUntouched)
        }
    }

    /// Checks an idle connection. Bytes that wait to be read are the server's goodbye or a TLS ticket; a ping tells
    /// which.
    private func isAlive(_ session: Session, _ check: Check) -> Bool {
        if check == .socket, session.wire.isQuiet { return true }
        do {
            try session.ping()
            return true
        } catch {
            return false
        }
    }

    private func connect(
        _ settings: ConnectionSettings, at preferred: Int, only isSettled: Bool
    ) throws(DatabaseError) -> ServerNode {
        let session = try Session(settings, at: preferred, only: isSettled)
        self.session = session
        return session.node
    }

    private func disconnect() {
        session = nil
    }
}
