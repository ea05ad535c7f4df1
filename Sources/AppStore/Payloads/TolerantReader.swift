/// Reads members that affect no decision, so that a genuine purchase is not refused for its price. A member of another
/// type than Apple documents becomes nil, and its name is noted.
struct TolerantReader {
    private let payload: PayloadReader
    /// The names of members that were present but could not be read, in the order of reading.
    private(set) var unreadable: [String] = []

    init(_ payload: PayloadReader) {
        self.payload = payload
    }

    /// A string.
    mutating func text(_ name: StaticString) -> String? {
        known(name, Result { () throws(EvidenceError) in try payload.text(name) })
    }

    /// A number that is written as an integer.
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
