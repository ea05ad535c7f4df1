import Entitlements
import HTTPTypes
import LedgerStore
import Logging
import Synchronization

/// The rate of refused webhook deliveries, for each network and path (`threats.md` T39). Accepted deliveries do not
/// count.
///
/// Every delivery of a network over its rate is refused before its body is read, because stores retry. If one network
/// sends both genuine and refused deliveries, as behind an untrusted proxy, a warning is logged.
final class RefusedDeliveries: Sendable {
    private static let millisecondsBetweenWarnings: Int64 = 10 * 60 * 1_000
    /// The most networks with genuine deliveries that are remembered.
    private static let maximumSenders = 1_000

    private let limiter: RateLimiter
    private let logger: Logger
    /// The earliest time of the next warning, for each network that sent a genuine delivery.
    private let warnsAt = Mutex(BoundedCache<[UInt8], Instant>(capacity: maximumSenders))

    init(_ limiter: RateLimiter, logger: Logger) {
        self.limiter = limiter
        self.logger = logger
    }

    /// Checks that a delivery to the webhook at `path` may be read.
    ///
    /// - Throws: `rate_limited` if too many deliveries of the network were refused.
    func admit(from network: [UInt8], to path: String, at now: Instant) throws(Problem) {
        guard let exceeded = limiter.exceeded(.refusedDelivery, for: .network(network, path: path), at: now) else {
            return
        }
        warn(of: network, path, at: now)
        var problem = Problem(exceeded)
        problem.closesConnection = true
        throw problem
    }

    /// Notes that a delivery was genuine.
    func noteGenuine(from network: [UInt8], at now: Instant) {
        warnsAt.withLock { $0[network] = $0[network] ?? now }
    }

    /// Counts a delivery that was refused as `problem`, and gives the state of the network's limit. Nil if the delivery
    /// does not count, because this server is at fault or too busy, or if there is no limit.
    @discardableResult
    func note(_ problem: Problem, from network: [UInt8], to path: String, at now: Instant) -> RateQuota? {
        guard problem.status.kind == .clientError, problem.code != .rateLimited else { return nil }
        let quota = limiter.take(.refusedDelivery, for: .network(network, path: path), at: now)
        warn(of: network, path, at: now)
        return quota
    }

    private func warn(of network: [UInt8], _ path: String, at now: Instant) {
        let isDue = warnsAt.withLock { warnsAt in
            guard let due = warnsAt[network], due <= now else { return false }
            warnsAt[network] = now + Self.millisecondsBetweenWarnings
            return true
        }
        guard isDue else { return }
        logger.warning(
            "a network sends genuine deliveries and others that are refused: see http.trusted_proxies",
            metadata: ["network": .string(Self.name(of: network)), "route": .string(path)])
    }

    /// The text of a network: an IPv4 address, or the first 64 bits of an IPv6 address.
    private static func name(of network: [UInt8]) -> String {
        guard network.count == 8 else { return network.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { place in
            String(UInt16(network[place]) << 8 | UInt16(network[place + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }
}
