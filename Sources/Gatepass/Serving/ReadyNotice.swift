import ServiceLifecycle

/// Tells once that the server listens and that the database is open, whichever comes last.
///
/// The notice is a service of its own, because HTTP serves nothing until its own start-up has returned.
struct ReadyNotice: Service {
    private let opening: OpeningSignal
    private let onReady: @Sendable (_ port: Int) async -> Void
    private let ports: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation

    init(opening: OpeningSignal, onReady: @escaping @Sendable (_ port: Int) async -> Void) {
        self.opening = opening
        self.onReady = onReady
        (ports, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The server listens at `port`.
    func listens(at port: Int) {
        continuation.yield(port)
        continuation.finish()
    }

    /// Tells, and stays until the end. Throws when the process is to end.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await opening.wait()
            for await port in ports where !Task.isCancelled {
                await onReady(port)
            }
        }
        // Thrown for a cancelled task, which ends just the same.
        try await gracefulShutdown()
    }
}
