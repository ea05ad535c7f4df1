/// The number of devices that may be active, that are active, and that are suspended (`semantics.md` §8). It is also
/// the whole answer of `license/status`.
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
