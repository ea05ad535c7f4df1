import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /openapi.yaml`: the OpenAPI description of this API (RFC 9512 defines the media type).
enum OpenAPIRoute {
    /// - Throws: `not_found` if the file is not deployed.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        guard call.api.openAPI.readableBytes > 0 else { throw .notFound }
        return Response(
            status: .ok, headers: [.contentType: "application/yaml", .cacheControl: "public, max-age=300"],
            body: ResponseBody(byteBuffer: call.api.openAPI))
    }
}
