import AppStore
import Hummingbird
import NIOCore

/// A request's body as strict JSON: UTF-8, no byte order mark, no name twice, at most 32 deep (`reliability.md` T13).
struct JSONBody {
    let value: JSONValue

    /// - Throws: `payload_too_large`, `unsupported_media_type` or `invalid_request`, in this order; a length that is not
    ///   declared is known only after the media type.
    init(_ request: Request, limit: Int) async throws(Problem) {
        try Self.requireJSON(request)
        try self.init(try await Self.bytes(of: request.body, limit: limit))
    }

    /// The same, or an empty object for a request without a body.
    ///
    /// - Throws: `payload_too_large`, `unsupported_media_type` or `invalid_request`, in this order.
    init(optionalOf request: Request, limit: Int) async throws(Problem) {
        let bytes = try await Self.bytes(of: request.body, limit: limit)
        if !bytes.isEmpty { try Self.requireJSON(request) }
        try self.init(bytes.isEmpty ? Array("{}".utf8) : bytes)
    }

    /// - Throws: `invalid_request`.
    init(_ bytes: [UInt8]) throws(Problem) {
        do throws(JSONDefect) {
            value = JSONValue(try StrictJSON(bytes))
        } catch {
            throw .invalidRequest(Self.sentence(for: error), at: "#")
        }
    }

    private static func requireJSON(_ request: Request) throws(Problem) {
        guard MediaType.isJSON(request.headers[.contentType]), request.headers[.contentEncoding] == nil else {
            throw Problem(.unsupportedMediaType, "The Content-Type must be application/json, without Content-Encoding.")
        }
    }

    private static func bytes(of body: RequestBody, limit: Int) async throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await part in body {
                guard bytes.count + part.readableBytes <= limit else { throw Problem.bodyTooLarge(limit: limit) }
                bytes.append(contentsOf: part.readableBytesView)
            }
            return bytes
        } catch let problem as Problem {
            throw problem
        } catch {
            // The connection broke; whoever sent this reads no answer.
            var problem = Problem.invalidRequest("The body did not arrive whole.", at: "#")
            problem.closesConnection = true
            throw problem
        }
    }

    private static func sentence(for defect: JSONDefect) -> String {
        switch defect {
        case .syntax(let position): "The body is not JSON, at byte \(position)."
        case .encoding(let position): "The body is not UTF-8, at byte \(position)."
        case .loneSurrogate(let position): "The body has half of a surrogate pair, at byte \(position)."
        case .duplicateName: "The body has two members of one name."
        case .tooDeep: "The body nests deeper than \(StrictJSON.maximumDepth) levels."
        }
    }
}
