/// A fault in the settings or the catalogue: its place, the problem and the remedy.
///
/// No fault contains the text of a secret.
struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place where the operator finds the fault.
    enum Place: Hashable, Sendable, CustomStringConvertible {
        case file(String, line: Int)
        /// An environment variable, a setting's key or a command-line option.
        case named(String)

        var description: String {
            switch self {
            case .file(let name, let line): "\(name):\(line)"
            case .named(let name): name
            }
        }
    }

    let place: Place
    let problem: String
    /// The remedy, in the imperative, such as `write port: 8080 instead`.
    let remedy: String

    var description: String { "\(place): \(problem); \(remedy)" }
}

extension [Fault] {
    /// The faults in the order of their lines, without duplicates. Faults without a line come last, in their own order.
    var inReadingOrder: [Fault] {
        var seen: Set<Fault> = []
        return enumerated().filter { seen.insert($0.element).inserted }
            .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
            .map(\.element)
    }
}

extension Fault {
    fileprivate var line: Int {
        switch place {
        case .file(_, let line): line
        case .named: Int.max
        }
    }
}
