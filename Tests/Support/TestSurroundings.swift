package import MariaDB

extension PoolSurroundings {
    /// The real clock and real chance.
    package static var real: PoolSurroundings {
        let start = ContinuousClock.now
        return PoolSurroundings(now: { start.duration(to: .now) }, jitter: { .random(in: 0..<1) })
    }
}
