import HTTPTypes
import Synchronization

/// The bytes of bodies that are arriving from senders who are not known, over all connections (`threats.md` T38).
///
/// Each part is counted when it is taken from its connection, and the body until it is whole and judged, or broke off.
package final class BodiesInFlight: Sendable {
    /// All of them may have this many bytes.
    static let maximumBytes = 64 * 1024 * 1024
    /// The bodies of one network may have this many.
    static let maximumNetworkBytes = 16 * 1024 * 1024
    private static let retryAfterSeconds = 5

    /// Bytes that are in flight.
    private struct State {
        var total = 0
        var peak = 0
        var networks: [[UInt8]: Int] = [:]
    }

    private let state = Mutex(State())

    /// Counts bytes that have arrived.
    ///
    /// - Throws: `unavailable` when they are more than all senders together may have in flight, `rate_limited` when
    ///   they are more than one network may; then nothing is counted.
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

    /// Counts them no longer.
    func give(_ count: Int, from network: [UInt8]) {
        guard count > 0 else { return }
        state.withLock { state in
            state.total -= count
            let left = state.networks[network, default: 0] - count
            state.networks[network] = left > 0 ? left : nil
        }
    }

    /// The most bytes that there were at once since this was asked before.
    package func takePeak() -> Int {
        state.withLock { state in
            defer { state.peak = state.total }
            return state.peak
        }
    }
}
