import Metrics
import Synchronization

/// Stores what the process counts through swift-metrics, for the metrics page.
///
/// Only the metrics that it is given are stored, so a library cannot add labels of its own. Each name with its labels
/// is one series, however often code asks for it. A series exists until the process ends.
final class PrometheusFactory: MetricsFactory {
    private let families: [String: MetricFamily]
    /// The series by the metric's name, then by the labels as the page writes them.
    private let series = Mutex<[String: [String: any MetricSeries]]>([:])

    init(_ families: [MetricFamily]) {
        self.families = Dictionary(families.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Writes the series of a metric; nothing if it has none yet.
    func write(_ family: MetricFamily, to page: inout ExpositionText) {
        guard let known = series.withLock({ $0[family.name] }) else { return }
        page.begin(family)
        for (labels, series) in known.sorted(by: { $0.key < $1.key }) { series.write(family.name, labels, to: &page) }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        one(label, dimensions) { $0 == .counter ? CounterSeries() : nil } ?? NOOPMetricsHandler.instance
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        one(label, dimensions) { $0 == .gauge ? GaugeSeries() : nil } ?? NOOPMetricsHandler.instance
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else {
            return one(label, dimensions) { $0 == .gauge ? GaugeSeries() : nil } ?? NOOPMetricsHandler.instance
        }
        return one(label, dimensions, histogram) ?? NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        one(label, dimensions, histogram) ?? NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func histogram(_ kind: MetricFamily.Kind) -> HistogramSeries? {
        if case .histogram(let bounds) = kind { HistogramSeries(bounds: bounds) } else { nil }
    }

    /// The series with this name and these labels, which is made if it is new. Nil for an unknown name, or for a metric
    /// of another type.
    private func one<Series: MetricSeries>(
        _ name: String, _ dimensions: [(String, String)], _ make: (MetricFamily.Kind) -> Series?
    ) -> Series? {
        guard let family = families[name], let new = make(family.kind) else { return nil }
        let labels = ExpositionText.labels(dimensions)
        return series.withLock { series in
            if let known = series[name]?[labels] { return known as? Series }
            series[name, default: [:]][labels] = new
            return new
        }
    }
}
