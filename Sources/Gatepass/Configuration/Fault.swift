/// A fault in an operator's text: where it is, what it is, and what to write instead.
///
/// No fault holds the text of a secret.
struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where the operator finds it.
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
    /// The remedy, in the imperative: `write port: 8080 instead`.
    let remedy: String

    var description: String { "\(place): \(problem); \(remedy)" }
}

extension [Fault] {
    /// The faults by line, each once; faults without a line keep their order and come last.
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
