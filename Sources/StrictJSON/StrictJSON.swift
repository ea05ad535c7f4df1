/// A JSON text that has exactly one meaning.
///
/// The parser accepts RFC 8259 in UTF-8 and nothing else: no byte order mark, lone surrogate, trailing comma or leading
/// zero. No two members of an object may have the same name, even if one is written with escapes. Nesting is at most
/// ``maximumDepth`` deep. An object has at most ``maximumNames`` members, and a name at most ``maximumNameBytes``
/// bytes.
///
/// Foundation's decoders take the first of duplicate names, and accept trailing commas, UTF-16 and byte order marks. A
/// signed text could then mean two different things (`threats.md` T13).
///
/// The text is parsed once into a flat list of nodes, which refer to its bytes. Strings and numbers are decoded only
/// when they are asked for.
package struct StrictJSON: Sendable {
    /// The deepest nesting of arrays and objects.
    package static let maximumDepth = 32
    /// The most members of an object.
    package static let maximumNames = 1_024
    /// The most bytes of a name, with its escapes decoded.
    package static let maximumNameBytes = 256

    /// The type of a value.
    package enum Kind: UInt8 {
        case object, array, string, number, isTrue, isFalse, null
    }

    /// A value, or the name of a member.
    struct Node {
        let kind: Kind
        /// True for a string without escapes, and for a number without fraction, exponent and negative zero. Its bytes
        /// need no decoding.
        var isPlain: Bool
        /// The offset of the value's first byte; for a string, of the byte after the quotation mark.
        let start: UInt32
        /// The offset after the value's last byte; for a string, of the closing quotation mark.
        var end: UInt32
        /// The index of the next node after this one and everything inside it.
        var next: UInt32
    }

    let bytes: [UInt8]
    let nodes: [Node]

    /// The index of the outermost value's node.
    package static let root = 0

    /// Parses a whole text.
    ///
    /// - Parameter boundsNames: True to refuse names that are too many or too long. False for a text that its sender
    ///   signed: it is read whatever its names are, in time proportional to its length.
    /// - Throws: ``JSONDefect`` at the first byte that makes the text invalid or ambiguous.
    package init(_ bytes: [UInt8], boundsNames: Bool = true) throws(JSONDefect) {
        let scan = bytes.withUnsafeBufferPointer { input in
            Result { () throws(JSONDefect) in
                var scanner = JSONScanner(input, boundsNames: boundsNames)
                return try scanner.document()
            }
        }
        self.nodes = try scan.get()
        self.bytes = bytes
    }

    /// The type of the value at a node.
    package func kind(_ node: Int) -> Kind {
        nodes[node].kind
    }

    /// The member of an object with exactly this name.
    ///
    /// - Returns: The node of the member's value; `nil` if there is none or `object` is no object.
    package func member(_ name: StaticString, of object: Int) -> Int? {
        member(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), of: object)
    }

    /// The node of a member's value, by a name that is not known at compile time; `nil` if there is none or `object` is
    /// no object.
    func member(_ name: UnsafeBufferPointer<UInt8>, of object: Int) -> Int? {
        nodes.withUnsafeBufferPointer { nodes in
            guard nodes[object].kind == .object else { return nil }
            let end = Int(nodes[object].next)
            var key = object + 1
            while key < end {
                let value = key + 1
                if isName(nodes[key], name) { return value }
                key = Int(nodes[value].next)
            }
            return nil
        }
    }

    /// The nodes of an object's member values; empty if `object` is no object.
    package func values(of object: Int) -> [Int] {
        guard nodes[object].kind == .object else { return [] }
        var values: [Int] = []
        var key = object + 1
        while key < Int(nodes[object].next) {
            values.append(key + 1)
            key = Int(nodes[key + 1].next)
        }
        return values
    }

    /// The nodes of an array's elements; empty if `array` is no array.
    package func elements(of array: Int) -> [Int] {
        guard nodes[array].kind == .array else { return [] }
        var elements: [Int] = []
        var node = array + 1
        while node < Int(nodes[array].next) {
            elements.append(node)
            node = Int(nodes[node].next)
        }
        return elements
    }

    /// The decoded text of a string.
    ///
    /// - Returns: `nil` if the node is no string.
    package func string(_ node: Int) -> String? {
        let node = nodes[node]
        guard node.kind == .string else { return nil }
        let raw = bytes[Int(node.start)..<Int(node.end)]
        return node.isPlain
            ? String(decoding: raw, as: UTF8.self) : String(decoding: JSONEscapes.unescaped(raw), as: UTF8.self)
    }

    /// The value of a number that is written as a plain integer.
    ///
    /// `1.0`, `1e3` and `-0` are not plain integers. Stores never write them, and a reader that converts to floating
    /// point gets another value than one that does not.
    ///
    /// - Returns: `nil` if the node is no plain integer, or does not fit into 64 bits.
    package func integer(_ node: Int) -> Int64? {
        let node = nodes[node]
        guard node.kind == .number, node.isPlain else { return nil }
        var position = Int(node.start)
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        var value: Int64 = 0
        while position < Int(node.end) {
            let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(bytes[position] & 0x0F)
            let (sum, exceeded) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !overflowed, !exceeded else { return nil }
            value = sum
            position += 1
        }
        return value
    }

    /// True if a name equals `wanted`, byte for byte. A name is decoded only if its length allows that.
    private func isName(_ key: Node, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        let (start, length) = (Int(key.start), Int(key.end - key.start))
        guard !key.isPlain else {
            guard length == wanted.count else { return false }
            return bytes.withUnsafeBufferPointer { bytes in
                (0..<wanted.count).allSatisfy { bytes[start + $0] == wanted[$0] }
            }
        }
        // The longest escape is `\u0000`, six bytes for one decoded byte.
        guard length > wanted.count, length <= 6 * wanted.count else { return false }
        return JSONEscapes.unescaped(bytes[start..<start + length]).elementsEqual(wanted)
    }
}
