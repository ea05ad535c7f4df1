import Dispatch

/// Runs work that blocks on a thread of its own: the threads that tests share are as few as the machine's cores. Throws
/// what `body` throws.
package func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
}
