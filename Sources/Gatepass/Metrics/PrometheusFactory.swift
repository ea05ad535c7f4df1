import Metrics
import Synchronization

/// Keeps what is counted through `Metrics`, for a Prometheus server to read.
///
/// Only described families are kept, so that nothing that a library counts brings labels of its own; the same name and
/// labels are one series, however often it is asked for. A series stays as long as the process.
final class PrometheusFactory: MetricsFactory {
    private let families: [String: MetricFamily]
    /// The series by the family's name, then by the labels as the page writes them.
    private let series = Mutex<[String: [String: any MetricSeries]]>([:])

    init(_ families: [MetricFamily]) {
        self.families = Dictionary(families.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Writes the series of a family; nothing for one that has none yet.
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

    /// The series of a name and its labels, made if it is new; nil for a name that is not described, or as another
    /// kind.
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
