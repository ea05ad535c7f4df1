import Crypto

/// The envelope of a signed text: three segments, payload and signature decoded, hashed in one pass (RFC 7515 §7.1).
///
/// The header segment is only measured. ``readHeader()`` decodes it when the chain is not known yet. A known chain is
/// found by the header's digest, which proves that the same characters have been read before.
struct CompactJWS {
    /// A header of three certificates as Apple has them is 3.3 KB; nothing larger is decoded.
    static let maximumHeaderBytes = 8 * 1024

    let text: String
    /// Characters of the header segment.
    let headerLength: Int
    let payload: [UInt8]
    let signature: [UInt8]

    /// SHA-256 of the header segment.
    let headerDigest: SHA256Digest
    /// SHA-256 of the JWS signing input, `header.payload` (RFC 7515 §5.1).
    let signingDigest: SHA256Digest
    /// SHA-256 of the whole text.
    let textDigest: SHA256Digest

    /// Splits and decodes.
    ///
    /// - Throws: `malformed`.
    init(_ text: String, maximumBytes: Int) throws(EvidenceError) {
        guard text.utf8.count <= maximumBytes else {
            throw EvidenceError(.malformed, "The text is longer than \(maximumBytes) bytes.")
        }
        var characters = text
        let split = characters.withUTF8 { characters in
            Result { () throws(EvidenceError) in try CompactJWS(text, characters) }
        }
        self = try split.get()
    }

    /// - Throws: `malformed`.
    private init(_ string: String, _ text: UnsafeBufferPointer<UInt8>) throws(EvidenceError) {
        // Searched from the end, so that the long header is not walked. A fourth segment would leave a dot in the
        // header, which is no character of base64url.
        guard let lastDot = text.lastIndex(of: Self.dot) else {
            throw EvidenceError(.malformed, "A JWS has three segments separated by dots; this text has one.")
        }
        guard let firstDot = text[..<lastDot].lastIndex(of: Self.dot) else {
            throw EvidenceError(
                .malformed,
                """
                A JWS has three segments; this text has two, like StoreKit's signedData: send jwsRepresentation \
                instead.
                """
            )
        }
        guard firstDot / 4 * 3 <= Self.maximumHeaderBytes else {
            throw EvidenceError(.malformed, "The header is longer than \(Self.maximumHeaderBytes) bytes.")
        }
        guard let payload = Base64.decodeURL(UnsafeBufferPointer(rebasing: text[(firstDot + 1)..<lastDot])) else {
            throw EvidenceError(.malformed, "The payload segment is not canonical base64url.")
        }
        guard let signature = Base64.decodeURL(UnsafeBufferPointer(rebasing: text[(lastDot + 1)...])) else {
            throw EvidenceError(.malformed, "The signature segment is not canonical base64url.")
        }
        self.text = string
        self.headerLength = firstDot
        self.payload = payload
        self.signature = signature

        var hash = SHA256()
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[..<firstDot]))
        self.headerDigest = hash.finalize()
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[firstDot..<lastDot]))
        self.signingDigest = hash.finalize()
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[lastDot...]))
        self.textDigest = hash.finalize()
    }

    /// Decodes the header segment.
    ///
    /// - Throws: `malformed`, `unsupported_algorithm`, `certificate_count` or `certificate_malformed`, in this order.
    func readHeader() throws(EvidenceError) -> JWSHeader {
        var characters = text
        let header = characters.withUTF8 { characters in
            Result { () throws(EvidenceError) in
                try JWSHeader(segment: UnsafeBufferPointer(rebasing: characters[..<headerLength]))
            }
        }
        return try header.get()
    }

    private static let dot = UInt8(ascii: ".")
}
