import Hummingbird

/// The media type of a `Content-Type` field.
enum MediaType {
    /// True if the field names JSON, with any parameters; `charset` may be nothing but UTF-8 (RFC 8259 §8.1).
    static func isJSON(_ field: String?) -> Bool {
        guard let field else { return false }
        let parts = field.lowercased().utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            $0.filter { $0 != 0x20 && $0 != 0x09 }
        }
        guard let type = parts.first, type.elementsEqual("application/json".utf8) else { return false }
        return parts.dropFirst().allSatisfy { parameter in
            !parameter.starts(with: "charset=".utf8) || parameter.dropFirst(8).elementsEqual("utf-8".utf8)
                || parameter.dropFirst(8).elementsEqual("\"utf-8\"".utf8)
        }
    }

    /// - Throws: `unsupported_media_type` for a request whose body is not JSON as it stands.
    static func requireJSON(of request: Request) throws(Problem) {
        guard isJSON(request.headers[.contentType]), request.headers[.contentEncoding] == nil else {
            throw Problem(.unsupportedMediaType, "The Content-Type must be application/json, without Content-Encoding.")
        }
    }
}
