import ServiceLifecycle

/// Tells the supervisor that the server is ready, that it lives, and that it stops.
///
/// The server is ready when it listens and either has opened the database or found that it has to wait for it. A
/// supervisor would otherwise hold up all that it starts after the server. A start that is refused never is ready.
struct SupervisorNotice: Service {
    let socket: SupervisorSocket
    /// The signal that it is known whether the database is open.
    let decided: OnceSignal
    /// The signal that the HTTP server listens.
    let listening: OnceSignal

    /// Works until the process is to end. Throws when it is to end at once.
    func run() async throws {
        try await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown {
                await decided.wait()
                await listening.wait()
                guard !Task.isCancelled else { return }
                socket.send(.ready)
                await live()
            }
            try await gracefulShutdown()
        } onGracefulShutdown: {
            socket.send(.stopping)
        }
    }

    /// Gives signs of life until the task is cancelled, if the supervisor wants any.
    private func live() async {
        guard let pause = socket.signOfLife else { return }
        while !Task.isCancelled {
            socket.send(.alive)
            try? await Task.sleep(for: pause)  // cancelled: the loop ends
        }
    }
}
