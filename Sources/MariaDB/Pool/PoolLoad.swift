/// The numbers of a pool's connections and waiting callers.
package struct PoolLoad: Hashable, Sendable {
    /// All connections, including those that are being opened or closed.
    package let open: Int
    /// Connections that nobody uses.
    package let idle: Int
    /// Connections that are lent.
    package let inUse: Int
    /// Callers that wait for a connection.
    package let waiting: Int

    package init(open: Int, idle: Int, inUse: Int, waiting: Int) {
        self.open = open
        self.idle = idle
        self.inUse = inUse
        self.waiting = waiting
    }
}
