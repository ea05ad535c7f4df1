/// Reads members that decide nothing: one of another type than Apple documents counts as unknown, and its name is
/// noted, so that no genuine purchase is unreadable for its price.
struct TolerantReader {
    private let payload: PayloadReader
    /// The members that were there and could not be read, in the order of reading.
    private(set) var unreadable: [String] = []

    init(_ payload: PayloadReader) {
        self.payload = payload
    }

    /// A string.
    mutating func text(_ name: StaticString) -> String? {
        known(name, Result { () throws(EvidenceError) in try payload.text(name) })
    }

    /// An integer, written as one.
    mutating func integer(_ name: StaticString) -> Int64? {
        known(name, Result { () throws(EvidenceError) in try payload.integer(name) })
    }

    /// Milliseconds since the Unix epoch.
    mutating func instant(_ name: StaticString) -> Int64? {
        known(name, Result { () throws(EvidenceError) in try payload.instant(name) })
    }

    private mutating func known<Value>(_ name: StaticString, _ value: Result<Value?, EvidenceError>) -> Value? {
        if case .success(let value) = value { return value }
        unreadable.append(name.description)
        return nil
    }
}
