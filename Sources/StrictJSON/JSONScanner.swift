/// Parses a JSON text into the nodes of a ``StrictJSON``, in one pass over the bytes.
///
/// The parser is written by hand because it is on the hot path and the grammar is small. `StrictJSONTests` and
/// `FuzzTests` compare it with RFC 8259.
struct JSONScanner {
    private let input: UnsafeBufferPointer<UInt8>
    private let boundsNames: Bool
    private var position = 0
    private var nodes: [StrictJSON.Node] = []
    /// The number of bytes of names that were read a second time, for tests; never more than the length of the text.
    private(set) var bytesReadAgain = 0

    init(_ input: UnsafeBufferPointer<UInt8>, boundsNames: Bool = true) {
        self.input = input
        self.boundsNames = boundsNames
        // A payload has about two dozen members, each a name and a value.
        nodes.reserveCapacity(min(64, input.count / 2 + 1))
    }

    /// Parses a whole text: one value with only white space around it.
    mutating func document() throws(JSONDefect) -> [StrictJSON.Node] {
        guard input.count <= Int(UInt32.max) else { throw .syntax(at: 0) }
        skipBlanks()
        try value(depth: 0)
        skipBlanks()
        guard position == input.count else { throw .syntax(at: position) }
        return nodes
    }

    private mutating func value(depth: Int) throws(JSONDefect) {
        guard position < input.count else { throw .syntax(at: position) }
        switch input[position] {
        case UInt8(ascii: "{"): try object(depth: depth + 1)
        case UInt8(ascii: "["): try array(depth: depth + 1)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try literal("true", .isTrue)
        case UInt8(ascii: "f"): try literal("false", .isFalse)
        case UInt8(ascii: "n"): try literal("null", .null)
        default: try number()
        }
    }

    // MARK: Containers

    private mutating func object(depth: Int) throws(JSONDefect) {
        let node = try open(.object, depth)
        var names = JSONNameSet()
        skipBlanks()
        if take(UInt8(ascii: "}")) { return close(node) }
        repeat {
            skipBlanks()
            guard position < input.count, input[position] == UInt8(ascii: "\"") else { throw .syntax(at: position) }
            let name = nodes.count
            try string()
            try enter(nodes[name], into: &names)
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw .syntax(at: position) }
            skipBlanks()
            try value(depth: depth)
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw .syntax(at: position) }
        close(node)
    }

    /// Decodes a name and inserts it into the names of its object. Throws if the name is a duplicate or breaks a limit.
    private mutating func enter(_ name: StrictJSON.Node, into names: inout JSONNameSet) throws(JSONDefect) {
        guard !boundsNames || names.count < StrictJSON.maximumNames else { throw .tooManyNames }
        let raw = UnsafeBufferPointer(rebasing: input[Int(name.start)..<Int(name.end)])
        bytesReadAgain += raw.count
        let decoded = name.isPlain ? nil : JSONEscapes.unescaped(raw)
        guard !boundsNames || (decoded?.count ?? raw.count) <= StrictJSON.maximumNameBytes else {
            throw .nameTooLong(at: Int(name.start))
        }
        let isNew =
            decoded?.withUnsafeBytes { names.insert($0) } ?? names.insert(UnsafeRawBufferPointer(raw))
        guard isNew else { throw .duplicateName }
    }

    private mutating func array(depth: Int) throws(JSONDefect) {
        let node = try open(.array, depth)
        skipBlanks()
        if take(UInt8(ascii: "]")) { return close(node) }
        repeat {
            skipBlanks()
            try value(depth: depth)
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw .syntax(at: position) }
        close(node)
    }

    private mutating func open(_ kind: StrictJSON.Kind, _ depth: Int) throws(JSONDefect) -> Int {
        guard depth <= StrictJSON.maximumDepth else { throw .tooDeep }
        append(kind, from: position, to: position)
        position += 1
        return nodes.count - 1
    }

    private mutating func close(_ node: Int) {
        nodes[node].end = UInt32(position)
        nodes[node].next = UInt32(nodes.count)
    }

    // MARK: Scalars

    private mutating func literal(_ word: StaticString, _ kind: StrictJSON.Kind) throws(JSONDefect) {
        let start = position
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < input.count, input[position] == word.utf8Start[offset] else { throw .syntax(at: position) }
            position += 1
        }
        append(kind, from: start, to: position)
    }

    private mutating func number() throws(JSONDefect) {
        let start = position
        let isNegative = take(UInt8(ascii: "-"))
        let integerStart = position
        try digits()
        let startsWithZero = input[integerStart] == UInt8(ascii: "0")
        guard !startsWithZero || position == integerStart + 1 else { throw .syntax(at: integerStart + 1) }
        var isPlain = !(isNegative && startsWithZero)
        if take(UInt8(ascii: ".")) {
            isPlain = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isPlain = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        append(.number, isPlain: isPlain, from: start, to: position)
    }

    private mutating func digits() throws(JSONDefect) {
        let start = position
        while position < input.count, input[position] &- UInt8(ascii: "0") < 10 {
            position += 1
        }
        guard position > start else { throw .syntax(at: position) }
    }

    private mutating func string() throws(JSONDefect) {
        position += 1
        let start = position
        var isPlain = true
        while true {
            skipPlainWords()
            guard position < input.count else { throw .syntax(at: position) }
            let byte = input[position]
            if byte == UInt8(ascii: "\"") {
                append(.string, isPlain: isPlain, from: start, to: position)
                position += 1
                return
            }
            if byte == UInt8(ascii: "\\") {
                isPlain = false
                try escape()
            } else if byte >= 0x80 {
                try multibyte()
            } else {
                guard byte >= 0x20 else { throw .syntax(at: position) }
                position += 1
            }
        }
    }

    /// Skips eight bytes at a time while none of them is special, because most of a request is long plain text.
    private mutating func skipPlainWords() {
        let (each, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let bytes = UnsafeRawBufferPointer(input)
        while position + 8 <= input.count {
            let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let quotes = word ^ (each &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (each &* UInt64(UInt8(ascii: "\\")))
            // For a byte `x`, the top bit of `(x - n) & ~x` is set if `x` is less than `n`; a lower byte may also set
            // it by a borrow.
            let isControl = (word &- each &* 0x20) & ~word
            let isQuote = (quotes &- each) & ~quotes
            let isBackslash = (backslashes &- each) & ~backslashes
            guard (word | isControl | isQuote | isBackslash) & tops == 0 else { return }
            position += 8
        }
    }

    /// Parses an escape, or the two escapes of a surrogate pair (RFC 8259 §7).
    private mutating func escape() throws(JSONDefect) {
        let start = position
        guard position + 1 < input.count else { throw .syntax(at: position) }
        switch input[position + 1] {
        case UInt8(ascii: "u"):
            let unit = try hexUnit()
            guard unit & 0xF800 == 0xD800 else { return }
            guard unit & 0xFC00 == 0xD800, position + 1 < input.count, input[position] == UInt8(ascii: "\\"),
                input[position + 1] == UInt8(ascii: "u"), try hexUnit() & 0xFC00 == 0xDC00
            else { throw .loneSurrogate(at: start) }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        default:
            throw .syntax(at: position)
        }
    }

    private mutating func hexUnit() throws(JSONDefect) -> UInt16 {
        guard position + 6 <= input.count else { throw .syntax(at: position) }
        var unit: UInt16 = 0
        for offset in 2..<6 {
            guard let digit = JSONEscapes.hexValue(input[position + offset]) else { throw .syntax(at: position) }
            unit = unit << 4 | UInt16(digit)
        }
        position += 6
        return unit
    }

    /// Parses a character beyond ASCII, by the table of well-formed sequences (RFC 3629 §4).
    private mutating func multibyte() throws(JSONDefect) {
        let lead = input[position]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if lead == 0xE0 { second = 0xA0...0xBF }
            if lead == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            length = 4
            if lead == 0xF0 { second = 0x90...0xBF }
            if lead == 0xF4 { second = 0x80...0x8F }
        default: throw .encoding(at: position)
        }
        guard position + length <= input.count, second.contains(input[position + 1]) else {
            throw .encoding(at: position)
        }
        for offset in 2..<max(2, length) where input[position + offset] & 0xC0 != 0x80 {
            throw .encoding(at: position)
        }
        position += length
    }

    // MARK: Leaves

    private mutating func skipBlanks() {
        while position < input.count {
            switch input[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < input.count, input[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func append(_ kind: StrictJSON.Kind, isPlain: Bool = true, from start: Int, to end: Int) {
        nodes.append(
            StrictJSON.Node(
                kind: kind, isPlain: isPlain, start: UInt32(start), end: UInt32(end), next: UInt32(nodes.count + 1)))
    }
}
