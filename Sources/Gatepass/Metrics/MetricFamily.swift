/// A metric: the name under which code counts, and its description on the page.
///
/// Names end in their unit, `seconds` or `bytes`, and those of counters in `_total`. The values of labels come from
/// closed lists, never from what a client may choose.
struct MetricFamily: Hashable, Sendable {
    /// The kind of the numbers under the name.
    enum Kind: Hashable, Sendable {
        /// Only grows while the process lives.
        case counter
        case gauge
        /// How many values were at most as large as each of these bounds, which grow.
        case histogram([Double])

        /// The kind's name on the page.
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
