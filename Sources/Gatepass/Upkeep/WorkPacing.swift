import Synchronization

/// Rests for as long as the work since the last rest took, so that work takes half of the time at most.
final class WorkPacing: Sendable {
    private let end: Mutex<Duration>

    /// The work began at this point of the process's time.
    init(since start: Duration) {
        end = Mutex(start)
    }

    func rest() async {
        let worked = end.withLock { Surroundings.uptime() - $0 }
        try? await Task.sleep(for: worked)  // cancelled: the worker finds out by itself
        end.withLock { $0 = Surroundings.uptime() }
    }
}
