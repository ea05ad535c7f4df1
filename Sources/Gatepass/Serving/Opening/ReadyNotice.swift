import ServiceLifecycle

/// Calls `onReady` once, when the server listens and the database is open.
///
/// This is a service of its own, because the HTTP server answers nothing until its own start-up callback has returned.
struct ReadyNotice: Service {
    private let opening: OnceSignal
    private let onReady: @Sendable (_ port: Int) async -> Void
    private let ports: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation

    init(opening: OnceSignal, onReady: @escaping @Sendable (_ port: Int) async -> Void) {
        self.opening = opening
        self.onReady = onReady
        (ports, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Notes that the server listens at `port`.
    func listens(at port: Int) {
        continuation.yield(port)
        continuation.finish()
    }

    /// Calls `onReady`, then waits until the end. Throws when the process is to end.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await opening.wait()
            for await port in ports where !Task.isCancelled {
                await onReady(port)
            }
        }
        // The error of a cancelled task is thrown here; the service ends in either case.
        try await gracefulShutdown()
    }
}
