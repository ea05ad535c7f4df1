/// Measures how often something can be done per second.
struct Rate {
    private var count = 0
    private var elapsed = Duration.zero

    /// Calls `body` repeatedly for the time `slice`, four calls between two readings of the clock. `body` gets the
    /// number of all calls before it, also of earlier slices.
    mutating func measure(for slice: Duration, _ body: (Int) throws -> Void) rethrows {
        let clock = ContinuousClock()
        let start = clock.now
        var now = start
        while now - start < slice {
            for _ in 0..<Self.callsBetweenReadings {
                try body(count)
                count += 1
            }
            now = clock.now
        }
        elapsed += now - start
    }

    private static let callsBetweenReadings = 4

    var perSecond: Double { Double(count) / elapsed.inSeconds }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

extension [Double] {
    /// The middle value; with an even number of values, the mean of the two in the middle.
    var median: Double {
        let sorted = sorted()
        guard let last = sorted.last else { return .nan }
        let middle = sorted.count / 2
        guard middle > 0 else { return last }
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
