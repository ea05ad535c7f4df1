/// The text that proves a signed state, and its digests.
package struct SignedText: Hashable, Sendable {
    /// The beginning of the text, which names the signing certificates and is the same in many texts.
    package struct Header: Hashable, Sendable {
        /// How many characters of the text it is.
        package let length: Int
        /// SHA-256 of it.
        package let digest: [UInt8]

        package init(length: Int, digest: [UInt8]) {
            self.length = length
            self.digest = digest
        }
    }

    /// The text as it came.
    package let text: String
    /// SHA-256 of the text; tells a literal replay and is never an identity (`semantics.md` §5).
    package let digest: [UInt8]
    /// The text's header.
    package let header: Header

    package init(text: String, digest: [UInt8], header: Header) {
        self.text = text
        self.digest = digest
        self.header = header
    }

    /// The characters of the header.
    package var beginning: String { String(text.utf8.prefix(header.length)) ?? "" }

    /// The characters of the signature.
    package var signature: String {
        String(text[(text.utf8.lastIndex(of: UInt8(ascii: ".")).map(text.utf8.index(after:)) ?? text.startIndex)...])
    }

    /// All that follows the header, in bytes.
    package var rest: [UInt8] {
        var text = text
        return text.withUTF8 { Array($0.dropFirst(header.length)) }
    }
}
