import Logging
import ServiceLifecycle

/// Tells that the process is to end, by a signal or because a service failed. It is the last service, so it is the
/// first to be shut down.
struct EndNotice: Service {
    let logger: Logger

    /// Waits until the end and logs it. Throws if the process ends because a service failed.
    func run() async throws {
        try await gracefulShutdown()
        logger.notice("the server ends: accepted requests have 10 seconds")
    }
}
