/// Raw memory that C code reads or writes. It is kept between calls, and replaced when it is too small.
///
/// Invariant: it holds trivial elements only. A pointer from it is valid until the next `reserve`.
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

    /// Makes room for `count` elements. If the memory has to grow, its content is lost.
    func reserve(_ count: Int) {
        guard count > capacity else { return }
        start.deallocate()
        capacity = max(count, capacity * 2)
        start = .allocate(capacity: capacity)
    }
}
