/// How much of a pool is in use.
package struct PoolLoad: Hashable, Sendable {
    /// Connections, those opening and closing included.
    package let open: Int
    /// Connections that nobody uses.
    package let idle: Int
    /// Connections that are lent.
    package let inUse: Int
    /// Callers that wait for one.
    package let waiting: Int

    package init(open: Int, idle: Int, inUse: Int, waiting: Int) {
        self.open = open
        self.idle = idle
        self.inUse = inUse
        self.waiting = waiting
    }
}
