package import Entitlements
import Synchronization

/// A clock that stands still unless the test moves it.
package final class TestClock: Sendable {
    private let stored: Mutex<Instant>

    package init(at instant: Instant) {
        stored = Mutex(instant)
    }

    package var now: Instant {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
