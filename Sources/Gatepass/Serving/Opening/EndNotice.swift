import Logging
import ServiceLifecycle

/// Tells that the process is to end. It is the last service, so it is the first to be shut down.
struct EndNotice: Service {
    let logger: Logger

    /// Waits until the end and logs it. Throws if the process ends because a service failed.
    func run() async throws {
        try await gracefulShutdown()
        logger.notice("told to end by SIGTERM or Ctrl-C: accepted requests have 10 seconds")
    }
}
