extension Task where Failure == Never {
    /// What the task comes to within `patience`; nil when it takes longer, and it goes on.
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
