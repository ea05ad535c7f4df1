package import Entitlements

/// Writes JSON straight into bytes. An encoder that first builds dictionaries would be too slow for the most frequent
/// answers.
///
/// The writer sets the commas. The caller must end whatever it begins, and give each name a value. Text is written as
/// UTF-8, with only the escapes that RFC 8259 §7 requires.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init(capacity: Int = 1024) {
        bytes.reserveCapacity(capacity)
    }

    // MARK: Structure

    package mutating func beginObject() { open("{") }
    package mutating func endObject() { close("}") }

    /// Ends an object with `rest`: its remaining members, each after a comma, and its closing brace.
    mutating func endObject(with rest: [UInt8]) {
        bytes.append(contentsOf: rest)
        needsComma = true
    }

    /// Writes the members of `object`, which is JSON, into an object that has been begun.
    mutating func append(membersOf object: [UInt8]) {
        separate()
        bytes.append(contentsOf: object.dropFirst().dropLast())
        needsComma = true
    }

    /// Writes an object as the next value; `write` writes its members.
    package mutating func object(_ write: (inout JSONWriter) -> Void) {
        beginObject()
        write(&self)
        endObject()
    }

    /// The bytes of an object, whose members `write` writes.
    package static func object(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object(write)
        return json.bytes
    }

    package mutating func beginArray() { open("[") }
    package mutating func endArray() { close("]") }

    /// Writes the name of the next value. A literal name of this server needs no escapes.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(Self.quote)
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(Self.quote)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes the name of the next value, with escapes, because others choose the name.
    package mutating func name(_ name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    mutating func null() { literal("null") }

    package mutating func value(_ flag: Bool) { literal(flag ? "true" : "false") }

    package mutating func value(_ number: some FixedWidthInteger) {
        separate()
        bytes.append(contentsOf: String(number).utf8)
        needsComma = true
    }

    /// Writes a number with a fraction; `null` if it is not finite.
    package mutating func value(_ number: Double) {
        guard number.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: number.description.utf8)
        needsComma = true
    }

    package mutating func value(_ text: String) {
        separate()
        bytes.append(Self.quote)
        var text = text
        text.withUTF8 { appendEscaped($0) }
        bytes.append(Self.quote)
        needsComma = true
    }

    /// Writes the instant in RFC 3339 in UTC, cut to whole seconds.
    package mutating func value(_ instant: Instant) {
        separate()
        bytes.append(Self.quote)
        RFC3339.append(instant, to: &bytes)
        bytes.append(Self.quote)
        needsComma = true
    }

    /// Writes the instant in RFC 3339 in UTC, with milliseconds.
    package mutating func value(toTheMillisecond instant: Instant) {
        value(instant)
        bytes.removeLast(2)
        let milliseconds = Int(((instant.milliseconds % 1000) + 1000) % 1000)
        bytes.append(UInt8(ascii: "."))
        for digit in [milliseconds / 100, milliseconds / 10 % 10, milliseconds % 10] {
            bytes.append(UInt8(ascii: "0") + UInt8(digit))
        }
        bytes.append(UInt8(ascii: "Z"))
        bytes.append(Self.quote)
    }

    /// Writes a text that is JSON already as the next value.
    mutating func value(json text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    /// Writes an array; `write` writes one value for each element.
    mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        beginArray()
        for element in elements {
            write(&self, element)
        }
        endArray()
    }

    // MARK: Members

    /// Writes a member whose value is an array of objects; `write` writes the members of each object.
    mutating func member<Elements: Sequence>(
        _ name: StaticString, objects elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        self.name(name)
        array(elements) { json, element in json.object { write(&$0, element) } }
    }

    mutating func member(_ name: StaticString, _ text: String?) {
        self.name(name)
        if let text { value(text) } else { null() }
    }

    mutating func member(_ name: StaticString, _ number: Int?) {
        self.name(name)
        if let number { value(number) } else { null() }
    }

    mutating func member(_ name: StaticString, _ flag: Bool?) {
        self.name(name)
        if let flag { value(flag) } else { null() }
    }

    /// Writes two members: the instant as RFC 3339 text, and in milliseconds since 1970.
    mutating func member(_ name: StaticString, exactly milliseconds: StaticString, _ instant: Instant?) {
        member(name, instant)
        self.name(milliseconds)
        if let instant { value(instant.writable.milliseconds) } else { null() }
    }

    mutating func member(_ name: StaticString, _ instant: Instant?) {
        self.name(name)
        if let instant { value(instant) } else { null() }
    }

    // MARK: Leaves

    private static let quote = UInt8(ascii: "\"")

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func literal(_ text: StaticString) {
        separate()
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        guard text.contains(where: Self.needsEscape) else {
            bytes.append(contentsOf: text)
            return
        }
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0C: bytes.append(contentsOf: "\\f".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 0x0F)])
            default: bytes.append(byte)
            }
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
