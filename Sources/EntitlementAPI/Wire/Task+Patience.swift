extension Task where Failure == Never {
    /// The task's value if it ends within `patience`, else nil. The task is never cancelled.
    package func value(within patience: Duration) async -> Success? {
        let (answers, continuation) = AsyncStream.makeStream(of: Success?.self, bufferingPolicy: .bufferingOldest(1))
        Task<Void, Never> { continuation.yield(await value) }
        let timeout = Task<Void, Never> {
            try? await Task<Never, Never>.sleep(for: patience)  // cancelled: the answer came
            continuation.yield(nil)
        }
        defer { timeout.cancel() }
        for await answer in answers { return answer }
        return nil
    }
}
