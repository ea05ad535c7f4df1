/// The id of a user, as the app's own login or an Apple account names them.
///
/// 1–128 characters of `[A-Za-z0-9._:@|+=-]`, the first a letter, a digit or `_`.
package struct UserID: Identifier {
    package let text: String

    /// Returns nil if `text` does not have the form above.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count <= Self.maximumLength, let first = bytes.first, Self.mayBegin(with: first),
            bytes.allSatisfy(Self.mayHave)
        else { return nil }
        self.text = text
    }

    /// The sentence that says why `text` is no user id; nil where it is one.
    package static func defect(of text: String) -> String? {
        let characters = text.unicodeScalars
        if let other = characters.first(where: { !$0.isASCII || !mayHave(UInt8($0.value)) }) {
            return "A user id may not have the character \(name(of: other))."
        }
        guard let first = characters.first, characters.count <= maximumLength else {
            return "A user id has 1 to \(maximumLength) characters, and this one has \(characters.count)."
        }
        return mayBegin(with: UInt8(first.value))
            ? nil : "A user id begins with a letter, a digit or _, and not with the character \(name(of: first))."
    }

    /// The character itself where ASCII prints it, and its code point.
    private static func name(of character: Unicode.Scalar) -> String {
        let digits = String(character.value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        return 0x21...0x7E ~= character.value ? "\(character) (\(code))" : code
    }

    /// An erased person, of whom only the pseudonym is left (`semantics.md` §5); no login can name one.
    package static func erased(pseudonym: UInt64) -> UserID {
        UserID(unchecked: erasedMark + String(pseudonym))
    }

    /// Reads the id of an erased person from its text; returns nil for any other text.
    package init?(pseudonym text: String) {
        guard let pseudonym = UInt64(text.dropFirst()) else { return nil }
        self = .erased(pseudonym: pseudonym)
        guard self.text == text else { return nil }
    }

    package var isErased: Bool { text.hasPrefix(Self.erasedMark) }

    /// The pseudonym of an erased person; nil for any other user.
    package var pseudonym: UInt64? { isErased ? UInt64(text.dropFirst()) : nil }

    /// The user of an Apple account that signs in by itself (`semantics.md` §5, *The Apple account as sign-in*).
    package static func appleAccount(_ label: Label) -> UserID { UserID(unchecked: appleMark + label.text) }

    /// True if the id stands for an Apple account. No login may give such an id to a user.
    package var isAppleAccount: Bool { text.hasPrefix(Self.appleMark) }

    package static let appleMark = "apple-"

    package static let maximumLength = 128

    private static let erasedMark = "#"

    private init(unchecked text: String) { self.text = text }

    private static let underscore = UInt8(ascii: "_")
    private static let punctuation = Set("._:@|+=-".utf8)

    private static func mayBegin(with byte: UInt8) -> Bool { isAlphanumeric(byte) || byte == underscore }

    private static func mayHave(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || punctuation.contains(byte) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
