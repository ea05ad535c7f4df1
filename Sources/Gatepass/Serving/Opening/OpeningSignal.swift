/// The signal that the database is open, which is given once. Tasks that wait for it continue then, or when they are
/// cancelled.
final class OpeningSignal: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    }

    func open() {
        continuation.finish()
    }

    /// Waits for the signal. Only one task at a time may wait.
    func wait() async {
        for await _ in stream {}
    }
}
