/// The server's addresses, the account and the time limits of a connection.
package struct ConnectionSettings: Sendable {
    /// The address of a server.
    package enum Endpoint: Hashable, Sendable {
        /// A Unix socket; its path must be shorter than 108 bytes.
        case socket(path: String)
        /// A host name or address. The client library connects to its default socket for `localhost`: write
        /// `127.0.0.1`.
        case tcp(host: String, port: Int)
    }

    /// The endpoints, in the order of preference. The first writable one is taken, else the first that answers. A pool
    /// stays with its server until that fails.
    package var endpoints: [Endpoint]
    /// The database in which unqualified table names are looked up; nil for none.
    package var database: String?
    package var user: String
    /// The account's password; nil if the server knows the account by its Unix socket.
    package var password: String?
    /// The path of a PEM file with the CA certificate. If it is set, TCP connections must use TLS, and the server's
    /// certificate and name must verify.
    package var tlsCA: String?
    /// The longest time in which an endpoint must accept a connection.
    package var connectTimeoutSeconds = 2
    /// The longest time in which the server must answer. It must exceed `lockWaitTimeoutSeconds`, or lock waits look
    /// like lost connections.
    package var readTimeoutSeconds = 5
    /// The longest time in which the server must accept bytes.
    package var writeTimeoutSeconds = 5
    /// The longest time for which a statement waits for a row lock; then it fails with error 1205.
    package var lockWaitTimeoutSeconds = 3
    /// The longest time for which a transaction may be idle; then the server ends it and its connection. So a process
    /// that was stopped in the middle keeps no locks.
    package var idleTransactionTimeoutSeconds = 10
    /// The most prepared statements of a connection; the least recently used one is closed first.
    package var maxCachedStatements = 128

    /// Settings with the default time limits.
    package init(
        endpoints: [Endpoint], database: String? = nil, user: String, password: String? = nil, tlsCA: String? = nil
    ) {
        self.endpoints = endpoints
        self.database = database
        self.user = user
        self.password = password
        self.tlsCA = tlsCA
    }
}

extension ConnectionSettings {
    /// The reason why an endpoint gave no connection, with database, address and account: `gatepass at db:3306, as
    /// gatepass: Access denied … (1045)`.
    func words(_ reason: String, _ code: Int, at endpoint: Endpoint) -> String {
        "\(database ?? "-") at \(endpoint), as \(user): \(reason) (\(code))"
    }
}

extension ConnectionSettings.Endpoint: CustomStringConvertible {
    /// The path of the socket, or host and port.
    package var description: String {
        switch self {
        case .socket(let path): path
        case .tcp(let host, let port): (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
        }
    }
}

extension ConnectionSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The endpoints and the database, without user and password.
    package var description: String { "\(database ?? "-") at \(endpoints)" }
    /// The endpoints and the database, without user and password.
    package var debugDescription: String { description }
    /// An empty mirror, so that a dump shows no password.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
