/// Reads members that affect no decision, so that a genuine purchase is not refused for its price. A member of another
/// type than Apple documents becomes nil, and its name is noted.
struct TolerantReader {
    private let payload: PayloadReader
    /// The names of members that were present but could not be read, in the order of reading.
    private(set) var unreadable: [String] = []

    init(_ payload: PayloadReader) {
        self.payload = payload
    }

    /// The member's value, a string; nil if the member is absent, null or of another type.
    mutating func text(_ name: StaticString) -> String? {
        known(name, Result { () throws(EvidenceError) in try payload.text(name) })
    }

    /// The member's value, a number that is written as an integer; nil if the member is absent or has another value.
    mutating func integer(_ name: StaticString) -> Int64? {
        known(name, Result { () throws(EvidenceError) in try payload.integer(name) })
    }

    /// The member's value in milliseconds since the Unix epoch; nil if the member is absent or has another value.
    mutating func instant(_ name: StaticString) -> Int64? {
        known(name, Result { () throws(EvidenceError) in try payload.instant(name) })
    }

    private mutating func known<Value>(_ name: StaticString, _ value: Result<Value?, EvidenceError>) -> Value? {
        if case .success(let value) = value { return value }
        unreadable.append(name.description)
        return nil
    }
}
