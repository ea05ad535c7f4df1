/// Closed until it is opened, once and for all. Tasks that wait for it go on then, or when they are cancelled.
final class OpeningSignal: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    }

    func open() {
        continuation.finish()
    }

    /// Waits for the opening; a single task at a time may wait.
    func wait() async {
        for await _ in stream {}
    }
}
