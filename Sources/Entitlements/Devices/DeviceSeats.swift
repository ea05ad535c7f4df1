/// How many devices may be and are in use (`semantics.md` §8); also the whole answer of `license/status`.
package struct DeviceSeats: Hashable, Sendable {
    package let allowed: Int
    package let active: Int
    package let suspended: Int

    package init(allowed: Int, active: Int, suspended: Int) {
        self.allowed = allowed
        self.active = active
        self.suspended = suspended
    }
}
