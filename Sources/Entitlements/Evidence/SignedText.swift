/// The text by which a store signed a state, a compact JWS, with its digests.
package struct SignedText: Hashable, Sendable {
    /// The header of the text. It holds the signing certificates, so many texts have the same one.
    package struct Header: Hashable, Sendable {
        /// The length of the header in characters of the text.
        package let length: Int
        /// The SHA-256 of the header.
        package let digest: [UInt8]

        package init(length: Int, digest: [UInt8]) {
            self.length = length
            self.digest = digest
        }
    }

    /// The text exactly as it was received.
    package let text: String
    /// The SHA-256 of the text. A literal replay is found by it, but it is never an identity (`semantics.md` §5).
    package let digest: [UInt8]
    /// The length and digest of the text's header.
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

    /// Everything after the header, as bytes.
    package var rest: [UInt8] {
        var text = text
        return text.withUTF8 { Array($0.dropFirst(header.length)) }
    }
}
