import Dispatch

/// Runs work that blocks on a thread that may be blocked: on a machine of two cores tests share two others. Throws what
/// `body` throws.
package func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
}
