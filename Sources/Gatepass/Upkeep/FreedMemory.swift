import CMalloc
import EntitlementAPI
import ServiceLifecycle

/// Returns freed memory to the system after large request bodies. Otherwise glibc keeps free memory that lies between
/// blocks in use.
struct FreedMemory: Service {
    private static let interval = Duration.seconds(5)
    /// The smallest peak of body bytes after which a search of all heaps is worth its cost.
    private static let worthwhileBytes = 4 * 1024 * 1024

    let bodies: BodiesInFlight

    /// Works until the process is to end. Throws nothing.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if bodies.takePeak() >= Self.worthwhileBytes { cmalloc_trim() }
                try? await Task.sleep(for: Self.interval)  // cancelled: the loop ends
            }
        }
    }
}
