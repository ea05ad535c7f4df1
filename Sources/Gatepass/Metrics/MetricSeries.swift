import Metrics
import Synchronization

/// The numbers of one metric under one set of labels.
protocol MetricSeries: AnyObject, Sendable {
    /// Writes the present numbers to the page.
    func write(_ name: String, _ labels: String, to page: inout ExpositionText)
}

/// A counter. Each call costs one atomic addition.
final class CounterSeries: MetricSeries, CounterHandler {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        count.add(amount, ordering: .relaxed)
    }

    func reset() {
        count.store(0, ordering: .relaxed)
    }

    func write(_ name: String, _ labels: String, to page: inout ExpositionText) {
        page.sample(name, labels, Double(count.load(ordering: .relaxed)))
    }
}

/// A gauge, which keeps its last value.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { increment(by: -amount) }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, _ labels: String, to page: inout ExpositionText) {
        page.sample(name, labels, value.withLock { $0 })
    }
}

/// A histogram. Each call takes a lock for a few additions.
final class HistogramSeries: MetricSeries, RecorderHandler, TimerHandler {
    /// The values that the lock guards.
    private struct State {
        /// The number of values in each bucket: at most its bound, and more than the bound before. The last bucket has
        /// no bound.
        var counts: [Int64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    /// Records a duration, in seconds.
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

    func write(_ name: String, _ labels: String, to page: inout ExpositionText) {
        let state = state.withLock { $0 }
        let others = labels.isEmpty ? "" : labels + ","
        var total: Int64 = 0
        for (bound, count) in zip(bounds + [.infinity], state.counts) {
            total += count
            page.sample(name + "_bucket", others + "le=\"\(ExpositionText.number(bound))\"", Double(total))
        }
        page.sample(name + "_sum", labels, state.sum)
        page.sample(name + "_count", labels, Double(total))
    }
}
