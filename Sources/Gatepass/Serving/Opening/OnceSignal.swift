/// A signal that is given once. A task that waits for it continues then, or when it is cancelled.
final class OnceSignal: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    }

    /// Gives the signal. Repeating it does nothing.
    func give() {
        continuation.finish()
    }

    /// Waits for the signal. Only one task at a time may wait.
    func wait() async {
        for await _ in stream {}
    }
}
