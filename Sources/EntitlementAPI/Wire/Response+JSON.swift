import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A JSON answer, not to be cached unless `cacheControl` says otherwise.
    static func json(
        _ bytes: [UInt8], status: HTTPResponse.Status = .ok, cacheControl: String = "no-store"
    ) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: cacheControl],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A problem document (RFC 9457 §3).
    static func problem(_ problem: Problem, requestID: String) -> Response {
        var fields = problem.fields
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = "no-store"
        if problem.closesConnection { fields[.connection] = "close" }
        return Response(
            status: problem.status, headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: problem.body(requestID: requestID))))
    }

    /// The JSON answer with its entity tag, or 304 if `If-None-Match` names the tag.
    static func validated(
        _ body: @autoclosure () -> ByteBuffer, _ tag: EntityTag, ifNoneMatch field: String?, _ fields: HTTPFields
    ) -> Response {
        var fields = fields
        fields[.eTag] = tag.text
        if let field, tag.isNamed(in: field) { return Response(status: .notModified, headers: fields) }
        fields[.contentType] = "application/json"
        return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: body()))
    }
    /// The answer for a client with this `Accept-Encoding`. The body is in gzip if it has at least `leastBytes` and the
    /// client accepts gzip.
    ///
    /// The answer's entity tag is weak, so it may stand for both forms of the body (RFC 9110 §8.8.3.3).
    func inGzip(from leastBytes: Int, if acceptEncoding: String?) async -> Response {
        var response = self
        response.headers[.vary] = [headers[.vary], "Accept-Encoding"].compactMap(\.self).joined(separator: ", ")
        guard let length = body.contentLength, length >= leastBytes, let acceptEncoding,
            WeightedList(acceptEncoding).names.contains("gzip")
        else { return response }
        let whole = WholeBody()
        guard (try? await body.write(whole)) != nil, let encoded = Gzip.encoded(whole.bytes) else { return response }
        response.headers[.contentEncoding] = "gzip"
        response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: encoded))
        return response
    }
}

/// A writer that keeps the body in one piece.
private final class WholeBody: ResponseBodyWriter {
    var bytes: [UInt8] = []

    func write(_ buffer: ByteBuffer) {
        bytes += buffer.readableBytesView
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) {}
}
