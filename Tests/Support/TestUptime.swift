import Synchronization

/// Time that goes forward when a test says so.
package final class TestUptime: Sendable {
    private let state = Mutex(Duration.zero)

    package init() {}

    package var now: Duration {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
