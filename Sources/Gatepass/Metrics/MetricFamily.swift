/// A metric: its name, type and description on the page.
///
/// The name ends in its unit, `seconds` or `bytes`, and a counter's name in `_total`. The values of labels come from
/// closed lists, never from clients.
struct MetricFamily: Hashable, Sendable {
    /// The metric's type.
    enum Kind: Hashable, Sendable {
        /// A number that only grows while the process runs.
        case counter
        case gauge
        /// A histogram with these upper bounds of its buckets, in ascending order.
        case histogram([Double])

        /// The type's name on the page.
        var word: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    let name: String
    let kind: Kind
    /// A sentence for operators.
    let help: String

    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}
