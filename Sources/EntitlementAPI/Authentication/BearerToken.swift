import Entitlements
import StrictJSON

/// A compact JWT, split and parsed; neither its signature nor its claims are checked.
struct BearerToken {
    /// The longest token that is parsed.
    static let maximumBytes = 8 * 1024

    let algorithm: String?
    let type: String?
    let kid: String?
    /// The bytes that the signature covers: the first two segments as they were sent, with the dot between them.
    let signedText: [UInt8]
    let signature: [UInt8]
    let claims: JSONValue

    /// - Throws: ``BearerRefusal/invalid(_:)`` unless the text is three segments of base64url of which the first two
    ///   hold JSON objects. The header members `crit`, `b64` and `zip` are refused, because they change how a token
    ///   must be read.
    init(_ text: String) throws(BearerRefusal) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumBytes else { throw .invalid("The token is too long.") }
        let segments = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard segments.count == 3, let signature = Base64URL.decode(segments[2]),
            let header = Self.object(segments[0]), let claims = Self.object(segments[1])
        else { throw .invalid("The token is not a compact JWT.") }
        guard header["crit"] == nil, header["b64"] == nil, header["zip"] == nil else {
            throw .invalid("The token's header asks for something that is not supported.")
        }
        algorithm = header["alg"]?.string
        kid = header["kid"]?.string
        type = header["typ"]?.string
        signedText = Array(bytes[..<(segments[1].endIndex)])
        self.signature = signature
        self.claims = claims
    }

    /// The member `typ` of a token's header, of which nothing is checked; nil if it cannot be read.
    static func headerType(of text: String) -> String? {
        object(Array(text.utf8.prefix { $0 != UInt8(ascii: ".") })[...])?["typ"]?.string
    }

    private static func object(_ segment: ArraySlice<UInt8>) -> JSONValue? {
        // `try?` drops the place of the error in the JSON, which nobody needs.
        guard let bytes = Base64URL.decode(segment), let json = try? StrictJSON(bytes) else { return nil }
        let value = JSONValue(json)
        return value.isObject ? value : nil
    }
}
