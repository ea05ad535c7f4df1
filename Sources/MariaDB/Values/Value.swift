/// A parameter of a statement, or a cell of a result.
///
/// Integers are signed or unsigned, like their column. DECIMAL, JSON and dates are text; BLOB, BINARY and BIT are
/// bytes.
package enum Value: Hashable, Sendable {
    case null
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case text(String)
    case bytes([UInt8])
}

extension Value {
    /// The number, or NULL.
    package init(_ number: Int64?) { self = number.map(Value.int64) ?? .null }
    /// The number, or NULL.
    package init(_ number: Int?) { self = number.map { .int64(Int64($0)) } ?? .null }
    /// The number, or NULL.
    package init(_ number: UInt64?) { self = number.map(Value.uint64) ?? .null }
    /// The number, or NULL.
    package init(_ number: Double?) { self = number.map(Value.double) ?? .null }
    /// The text, or NULL.
    package init(_ text: String?) { self = text.map(Value.text) ?? .null }
    /// The bytes, or NULL.
    package init(_ bytes: [UInt8]?) { self = bytes.map(Value.bytes) ?? .null }
    /// 1 or 0.
    package init(_ flag: Bool) { self = .int64(flag ? 1 : 0) }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringInterpolation,
    ExpressibleByBooleanLiteral
{
    /// NULL.
    package init(nilLiteral: ()) { self = .null }
    /// A signed number.
    package init(integerLiteral value: Int64) { self = .int64(value) }
    /// A text.
    package init(stringLiteral value: String) { self = .text(value) }
    /// 1 or 0.
    package init(booleanLiteral value: Bool) { self = .int64(value ? 1 : 0) }
}
