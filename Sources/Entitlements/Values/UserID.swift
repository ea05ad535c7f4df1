/// A signed-in user, as the app's own login names them.
///
/// 1–64 characters of `[A-Za-z0-9._:@-]`, the first a letter or digit.
package struct UserID: Identifier {
    package let text: String

    /// Nil when `text` is not of the form above.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.maximumLength).contains(bytes.count), let first = bytes.first, Self.isAlphanumeric(first),
            bytes.allSatisfy({ Self.isAlphanumeric($0) || Self.punctuation.contains($0) })
        else { return nil }
        self.text = text
    }

    /// An erased person, of whom only the pseudonym is left (`semantics.md` §5); no login can name one.
    package static func erased(pseudonym: UInt64) -> UserID {
        UserID(unchecked: erasedMark + String(pseudonym))
    }

    /// The user id of an erased person from its text; nil for anything else.
    package init?(pseudonym text: String) {
        guard let pseudonym = UInt64(text.dropFirst()) else { return nil }
        self = .erased(pseudonym: pseudonym)
        guard self.text == text else { return nil }
    }

    package var isErased: Bool { text.hasPrefix(Self.erasedMark) }

    /// The pseudonym of an erased person; nil for anybody else.
    package var pseudonym: UInt64? { isErased ? UInt64(text.dropFirst()) : nil }

    package static let maximumLength = 64

    private static let erasedMark = "#"

    private init(unchecked text: String) { self.text = text }

    private static let punctuation = Set("._:@-".utf8)

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
