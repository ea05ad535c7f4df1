import Hummingbird

/// The media type of a `Content-Type` field, and the coding of the body.
enum MediaType {
    /// The content coding of a body (RFC 9110 §8.4).
    enum Coding {
        case identity
        case gzip
    }

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

    /// The coding of a request's JSON body.
    ///
    /// - Throws: `unsupported_media_type` for a body that is not JSON, or has a coding that is not allowed.
    static func codingOfJSON(in request: Request, allowsGzip: Bool) throws(Problem) -> Coding {
        let coding = request.headers[.contentEncoding]?.lowercased()
        guard isJSON(request.headers[.contentType]), coding == nil || (allowsGzip && coding == "gzip") else {
            var problem = Problem(
                .unsupportedMediaType,
                "The Content-Type must be application/json, "
                    + (allowsGzip ? "and the Content-Encoding, if there is one, gzip." : "without Content-Encoding."))
            // RFC 9110 §12.5.3
            problem.fields[.acceptEncoding] = allowsGzip ? "gzip" : "identity"
            throw problem
        }
        return coding == nil ? .identity : .gzip
    }
}
