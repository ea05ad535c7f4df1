/// A UUID that an app hands to the App Store with a purchase, to name the buyer. It is kept as 16 bytes, so upper and
/// lower case do not matter.
///
/// A token can veto an attach, and name the user of a notification. It is never proof, because clients choose it
/// (`semantics.md` §5).
package struct AccountToken: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    /// Returns nil unless there are 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Returns nil unless `text` is hexadecimal digits of the form `8-4-4-4-12`, in upper or lower case.
    package init?(_ text: String) {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for (position, character) in characters.enumerated() {
            if Self.hyphens.contains(position) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Self.hexadecimalValue(of: character) else { return nil }
            if let upper = high {
                bytes.append(upper << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        self.bytes = bytes
    }

    /// The token in lower case, of the form `8-4-4-4-12`.
    package var description: String {
        var text = ""
        for (position, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(position) { text.append("-") }
            let digits = String(byte, radix: 16)
            text += digits.utf8.count == 1 ? "0" + digits : digits
        }
        return text
    }

    /// The user id in a token of the legacy form `%08x-0000-0000-0000-000000000000`; nil for any other token
    /// (`semantics.md` §5).
    package var legacyUserID: UserID? {
        guard bytes[4...].allSatisfy({ $0 == 0 }) else { return nil }
        return UserID(String(bytes[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
    }

    private static let hyphens: Set<Int> = [8, 13, 18, 23]

    private static func hexadecimalValue(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
