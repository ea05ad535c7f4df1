/// The server to which a connection leads, behind an address that may lead to several.
struct ServerNode: Hashable, Sendable {
    /// The index of the endpoint in the settings.
    let endpoint: Int
    /// The server's own name: its host and port, and the name of its node in a Galera cluster.
    let name: String
}
