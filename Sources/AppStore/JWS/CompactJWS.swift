import Crypto

/// A JWS in compact form, split into its three segments (RFC 7515 §7.1). Payload and signature are decoded, and the
/// digests are computed in one pass.
///
/// The header segment is decoded only by ``readHeader()``, when its chain is not in the cache. A chain in the cache is
/// found by the header's digest, so its header was read before.
struct CompactJWS {
    /// The largest header that is decoded. A header of Apple's, with three certificates, has 3.3 KB.
    static let maximumHeaderBytes = 8 * 1024

    let text: String
    /// The number of characters in the header segment.
    let headerLength: Int
    let payload: [UInt8]
    let signature: [UInt8]

    /// SHA-256 of the header segment.
    let headerDigest: SHA256Digest
    /// SHA-256 of the JWS signing input, `header.payload` (RFC 7515 §5.1).
    let signingDigest: SHA256Digest
    /// SHA-256 of the whole text.
    let textDigest: SHA256Digest

    /// Splits a text at its dots, and decodes payload and signature.
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

    /// Splits `text`, which is the bytes of `string`.
    ///
    /// - Throws: `malformed`.
    private init(_ string: String, _ text: UnsafeBufferPointer<UInt8>) throws(EvidenceError) {
        // The dots are searched from the end, so that the long header is not walked. A fourth segment would leave a dot
        // in the header, and base64url has no dot.
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
