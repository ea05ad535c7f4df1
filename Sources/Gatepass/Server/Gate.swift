/// Closed until it is opened, once and for all; whoever waits goes on then, or when cancelled.
final class Gate: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    }

    func open() {
        continuation.finish()
    }

    /// One task at a time may wait.
    func wait() async {
        for await _ in stream {}
    }
}
