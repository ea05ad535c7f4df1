/// A JSON text that has exactly one reading.
///
/// Accepts RFC 8259 in UTF-8 and nothing beside it: no byte order mark, no lone surrogate, no trailing comma, no
/// leading zero. No two members of an object have the same name, escaped spellings included. Nesting is at most
/// ``maximumDepth`` deep; an object has at most ``maximumNames`` members, a name at most ``maximumNameBytes`` bytes.
///
/// Foundation's decoders take the first of duplicate names and accept trailing commas, UTF-16 and marks, which would
/// let a signed text mean two things (`threats.md` T13).
///
/// The text is read once into a flat list of nodes that point back into it; strings and numbers are made when they are
/// asked for.
package struct StrictJSON: Sendable {
    /// The deepest nesting of arrays and objects.
    package static let maximumDepth = 32
    /// An object may have this many members.
    package static let maximumNames = 1_024
    /// A name may have this many bytes, its escapes decoded.
    package static let maximumNameBytes = 256

    /// The type of a value.
    package enum Kind: UInt8 {
        case object, array, string, number, isTrue, isFalse, null
    }

    /// A value, or the name of a member.
    struct Node {
        let kind: Kind
        /// A string without escapes, or a number without fraction, exponent and negative zero: what can be read as it
        /// stands.
        var isPlain: Bool
        /// Where its text starts; behind the quotation mark for a string.
        let start: UInt32
        /// Where its text ends; before the quotation mark for a string.
        var end: UInt32
        /// Index of the node behind this one and all it contains.
        var next: UInt32
    }

    let bytes: [UInt8]
    let nodes: [Node]

    /// Index of the outermost value.
    package static let root = 0

    /// Reads a whole text.
    ///
    /// - Parameter boundsNames: True if too many or too long names are refused. If false, a text that its sender signed
    ///   is read whatever its names, in time that grows with its length alone.
    /// - Throws: ``JSONDefect`` for the first place that has no or more than one reading.
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

    /// The member of an object by its exact name.
    ///
    /// - Returns: The node of its value; `nil` if there is none or `object` is no object.
    package func member(_ name: StaticString, of object: Int) -> Int? {
        member(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), of: object)
    }

    /// The member of an object by a name that is not known in advance.
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

    /// The values of an object's members, as nodes; empty if `object` is none.
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

    /// The elements of an array, as nodes; empty if `array` is none.
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

    /// The text of a string.
    ///
    /// - Returns: `nil` if the node is something else.
    package func string(_ node: Int) -> String? {
        let node = nodes[node]
        guard node.kind == .string else { return nil }
        let raw = bytes[Int(node.start)..<Int(node.end)]
        return node.isPlain
            ? String(decoding: raw, as: UTF8.self) : String(decoding: JSONEscapes.unescaped(raw), as: UTF8.self)
    }

    /// The value of a number that is written as a plain integer.
    ///
    /// `1.0`, `1e3` and `-0` are no plain integers: stores never write them, and a reader who goes through floating
    /// point sees another value than one who does not.
    ///
    /// - Returns: `nil` if the node is something else or does not fit.
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

    /// True if a name is `wanted`, byte for byte; one whose length rules that out is not decoded.
    private func isName(_ key: Node, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        let (start, length) = (Int(key.start), Int(key.end - key.start))
        guard !key.isPlain else {
            guard length == wanted.count else { return false }
            return bytes.withUnsafeBufferPointer { bytes in
                (0..<wanted.count).allSatisfy { bytes[start + $0] == wanted[$0] }
            }
        }
        // The longest escape is `\u0000`, six bytes for one.
        guard length > wanted.count, length <= 6 * wanted.count else { return false }
        return JSONEscapes.unescaped(bytes[start..<start + length]).elementsEqual(wanted)
    }
}
