/// Getters of typed cells. Each throws `.unexpectedCell` if the cell is NULL, has another type or is out of range.
/// Getters of optionals return nil for NULL.
extension Row {
    /// A whole number; throws when the cell is anything else, or too large.
    package func int64(_ column: Int) throws(DatabaseError) -> Int64 {
        guard let number = try optionalInt64(column) else { throw unexpected(column) }
        return number
    }

    /// A whole number or NULL; throws when the cell is anything else, or too large.
    package func optionalInt64(_ column: Int) throws(DatabaseError) -> Int64? {
        switch try value(column) {
        case .null: return nil
        case .int64(let number): return number
        case .uint64(let number) where number <= UInt64(Int64.max): return Int64(number)
        case .uint64, .double, .text, .bytes: throw unexpected(column)
        }
    }

    /// A whole number; throws when the cell is anything else, or too large.
    package func int(_ column: Int) throws(DatabaseError) -> Int {
        Int(try int64(column))
    }

    /// A whole number or NULL; throws when the cell is anything else, or too large.
    package func optionalInt(_ column: Int) throws(DatabaseError) -> Int? {
        try optionalInt64(column).map { Int($0) }
    }

    /// A whole number from 0; throws when the cell is anything else, or negative.
    package func uint64(_ column: Int) throws(DatabaseError) -> UInt64 {
        guard let number = try optionalUInt64(column) else { throw unexpected(column) }
        return number
    }

    /// A whole number from 0, or NULL; throws when the cell is anything else, or negative.
    package func optionalUInt64(_ column: Int) throws(DatabaseError) -> UInt64? {
        switch try value(column) {
        case .null: return nil
        case .uint64(let number): return number
        case .int64(let number) where number >= 0: return UInt64(number)
        case .int64, .double, .text, .bytes: throw unexpected(column)
        }
    }

    /// True for 1 and false for 0; throws when the cell is anything else.
    package func bool(_ column: Int) throws(DatabaseError) -> Bool {
        switch try int64(column) {
        case 0: return false
        case 1: return true
        default: throw unexpected(column)
        }
    }

    /// A FLOAT or DOUBLE; throws when the cell is anything else.
    package func double(_ column: Int) throws(DatabaseError) -> Double {
        guard let number = try optionalDouble(column) else { throw unexpected(column) }
        return number
    }

    /// A FLOAT, a DOUBLE or NULL; throws when the cell is anything else.
    package func optionalDouble(_ column: Int) throws(DatabaseError) -> Double? {
        switch try value(column) {
        case .null: return nil
        case .double(let number): return number
        case .int64, .uint64, .text, .bytes: throw unexpected(column)
        }
    }

    /// A text; throws when the cell is anything else.
    package func text(_ column: Int) throws(DatabaseError) -> String {
        guard let text = try optionalText(column) else { throw unexpected(column) }
        return text
    }

    /// A text or NULL; throws when the cell is anything else.
    package func optionalText(_ column: Int) throws(DatabaseError) -> String? {
        switch try value(column) {
        case .null: return nil
        case .text(let text): return text
        case .int64, .uint64, .double, .bytes: throw unexpected(column)
        }
    }

    /// Bytes; throws when the cell is anything else.
    package func bytes(_ column: Int) throws(DatabaseError) -> [UInt8] {
        guard let bytes = try optionalBytes(column) else { throw unexpected(column) }
        return bytes
    }

    /// Bytes or NULL; throws when the cell is anything else.
    package func optionalBytes(_ column: Int) throws(DatabaseError) -> [UInt8]? {
        switch try value(column) {
        case .null: return nil
        case .bytes(let bytes): return bytes
        case .int64, .uint64, .double, .text: throw unexpected(column)
        }
    }
}
