/// The metrics page in the Prometheus text format 0.0.4, as it is written.
struct ExpositionText {

    private(set) var text = ""

    /// Begins a metric; its samples follow.
    mutating func begin(_ family: MetricFamily) {
        let help = Self.escaped(family.help, quotes: false)
        text += "# HELP \(family.name) \(help)\n# TYPE \(family.name) \(family.kind.word)\n"
    }

    /// Adds a sample. `labels` has the form that `labels(_:)` returns.
    mutating func sample(_ name: String, _ labels: String = "", _ value: Double) {
        text += name
        if !labels.isEmpty { text += "{\(labels)}" }
        text += " \(Self.number(value))\n"
    }

    /// Labels in the order of their names, such as `a="1",b="2"`.
    static func labels(_ pairs: [(String, String)]) -> String {
        pairs.sorted { $0.0 < $1.0 }.map { "\($0)=\"\(escaped($1, quotes: true))\"" }.joined(separator: ",")
    }

    /// A number in the form that Go's `ParseFloat` reads.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
