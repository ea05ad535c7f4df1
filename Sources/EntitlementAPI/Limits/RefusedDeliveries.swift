import Entitlements
import HTTPTypes
import LedgerStore
import Logging
import Synchronization

/// The rate of deliveries that are refused, for each network (`threats.md` T39). Genuine ones never count.
///
/// A network over its rate is told so before a body is read, genuine or not: stores send again. Where a network sends
/// both, as behind a proxy that is not trusted, the log says so.
final class RefusedDeliveries: Sendable {
    private static let millisecondsBetweenWarnings: Int64 = 10 * 60 * 1_000
    /// How many networks that sent something genuine are remembered.
    private static let maximumSenders = 1_000

    private let limiter: RateLimiter
    private let logger: Logger
    /// When a warning may be written of each network that sent something genuine.
    private let warnsAt = Mutex(BoundedCache<[UInt8], Instant>(capacity: maximumSenders))

    init(_ limiter: RateLimiter, logger: Logger) {
        self.limiter = limiter
        self.logger = logger
    }

    /// Lets a delivery to the webhook at `path` in.
    ///
    /// - Throws: `rate_limited` for a network whose deliveries were refused too often.
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

    /// Counts a delivery that was refused as `problem`, and says how many more may be; nil where that is a fault of
    /// this server or its being busy, which does not count, or where any number may be.
    @discardableResult
    func note(_ problem: Problem, from network: [UInt8], to path: String, at now: Instant) -> RateStanding? {
        guard problem.status.kind == .clientError, problem.code != .rateLimited else { return nil }
        let standing = limiter.take(.refusedDelivery, for: .network(network, path: path), at: now)
        warn(of: network, path, at: now)
        return standing
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

    /// An IPv4 address, or the first 64 bits of an IPv6 one.
    private static func name(of network: [UInt8]) -> String {
        guard network.count == 8 else { return network.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { place in
            String(UInt16(network[place]) << 8 | UInt16(network[place + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }
}
