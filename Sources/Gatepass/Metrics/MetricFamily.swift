/// What is measured under one name: the name that code counts with, and what the page says of it.
///
/// Names end in their unit, `seconds` or `bytes`, and those of counters in `_total`. The values of labels come from
/// closed lists, never from what a client may choose.
struct MetricFamily: Hashable, Sendable {
    /// What the numbers under the name are.
    enum Kind: Hashable, Sendable {
        /// Only grows while the process lives.
        case counter
        case gauge
        /// How many values were at most as large as each of these bounds, which grow.
        case histogram([Double])

        /// As the page says it.
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
    /// One sentence for operators.
    let help: String

    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}
