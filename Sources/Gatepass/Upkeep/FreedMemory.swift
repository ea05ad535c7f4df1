import CMalloc
import EntitlementAPI
import ServiceLifecycle

/// Gives memory back to the system after large bodies: glibc keeps what is freed between blocks that are in use.
struct FreedMemory: Service {
    private static let interval = Duration.seconds(5)
    /// Fewer bytes than this are no reason to go through all heaps.
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
