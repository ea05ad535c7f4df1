/// Where the server is and how to speak to it.
package struct ConnectionSettings: Sendable {
    /// A way to a server.
    package enum Endpoint: Hashable, Sendable {
        /// A unix socket; its path must stay under 108 bytes.
        case socket(path: String)
        /// A host name or address. The library takes `localhost` for its default socket: write `127.0.0.1`.
        case tcp(host: String, port: Int)
    }

    /// Tried in order at each connect; the first that is writable is taken, else the first that answers.
    package var endpoints: [Endpoint]
    /// The schema that names without a qualifier refer to, or nil for none.
    package var database: String?
    package var user: String
    /// The account's password, or nil where the server knows the account by its unix socket.
    package var password: String?
    /// A PEM file. When set, TCP connections are TLS and the server's certificate and name are verified, or they fail.
    package var tlsCA: String?
    /// How long one endpoint may take to accept.
    package var connectTimeoutSeconds = 2
    /// How long the server may take to answer; longer than `lockWaitTimeoutSeconds`, or lock waits look like lost
    /// connections.
    package var readTimeoutSeconds = 5
    /// How long the server may take to accept bytes.
    package var writeTimeoutSeconds = 5
    /// How long a statement waits for a row lock before it fails with 1205.
    package var lockWaitTimeoutSeconds = 3
    /// How long a transaction may stand still until the server ends it and its connection, so that a process that was
    /// stopped in the middle keeps no locks.
    package var idleTransactionTimeoutSeconds = 10
    /// How many prepared statements a connection keeps; the least recently used is closed first.
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

extension ConnectionSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The endpoints and the database; not the account.
    package var description: String { "\(database ?? "-") at \(endpoints)" }
    /// The endpoints and the database; not the account.
    package var debugDescription: String { description }
    /// An empty mirror, so that a dump shows no password.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
