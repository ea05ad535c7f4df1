import HTTPTypes
import Synchronization

/// The memory taken by request bodies of unauthenticated senders, over all connections (`threats.md` T38).
///
/// Each part of a body counts from its arrival until the body is complete or breaks off.
package final class BodiesInFlight: Sendable {
    /// The most bytes of all these bodies together.
    static let maximumBytes = 64 * 1024 * 1024
    /// The most bytes of the bodies from one network.
    static let maximumNetworkBytes = 16 * 1024 * 1024
    private static let retryAfterSeconds = 5

    /// The bytes counted now, and their peak.
    private struct State {
        var total = 0
        var peak = 0
        var networks: [[UInt8]: Int] = [:]
    }

    private let state = Mutex(State())

    /// Adds `count` bytes of a body that have arrived.
    ///
    /// - Throws: `unavailable` if all bodies together would exceed their limit, `rate_limited` if those of the network
    ///   would. Nothing is counted then.
    func take(_ count: Int, from network: [UInt8]) throws(Problem) {
        let refusal = state.withLock { state -> Problem? in
            let (total, held) = (state.total + count, state.networks[network, default: 0] + count)
            guard total <= Self.maximumBytes else {
                return .unavailable("Too many bodies are arriving.", retryAfterSeconds: Self.retryAfterSeconds)
            }
            guard held <= Self.maximumNetworkBytes else {
                var problem = Problem(.rateLimited, "Too many bodies are arriving from this network.")
                problem.fields[.retryAfter] = String(Self.retryAfterSeconds)
                return problem
            }
            state.total = total
            state.peak = max(state.peak, total)
            state.networks[network] = held
            return nil
        }
        guard var refusal else { return }
        refusal.closesConnection = true
        throw refusal
    }

    /// Subtracts `count` bytes of a body that is complete or broke off.
    func give(_ count: Int, from network: [UInt8]) {
        guard count > 0 else { return }
        state.withLock { state in
            state.total -= count
            let left = state.networks[network, default: 0] - count
            state.networks[network] = left > 0 ? left : nil
        }
    }

    /// The peak since the last call of this function, in bytes.
    package func takePeak() -> Int {
        state.withLock { state in
            defer { state.peak = state.total }
            return state.peak
        }
    }
}
