/// Raw memory that C writes to or reads from, kept between calls and replaced when too small.
///
/// Invariant: holds trivial elements only; a pointer taken from it is valid until the next `reserve`.
final class GrowingBuffer<Element> {
    private(set) var start: UnsafeMutablePointer<Element>
    private(set) var capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        start = .allocate(capacity: self.capacity)
    }

    deinit {
        start.deallocate()
    }

    /// Makes room for `count` elements; what was there before is lost when it grows.
    func reserve(_ count: Int) {
        guard count > capacity else { return }
        start.deallocate()
        capacity = max(count, capacity * 2)
        start = .allocate(capacity: capacity)
    }
}
