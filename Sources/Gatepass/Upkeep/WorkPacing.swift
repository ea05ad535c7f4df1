import Synchronization

/// Rests for as long as the work since the last rest took, so that the work takes at most half of the time.
final class WorkPacing: Sendable {
    private let end: Mutex<Duration>

    /// - Parameter start: The uptime of the process at which the work began.
    init(since start: Duration) {
        end = Mutex(start)
    }

    func rest() async {
        let worked = end.withLock { Surroundings.uptime() - $0 }
        try? await Task.sleep(for: worked)  // cancelled: the worker finds out by itself
        end.withLock { $0 = Surroundings.uptime() }
    }
}
