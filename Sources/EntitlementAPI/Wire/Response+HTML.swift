package import HTTPTypes
package import Hummingbird
import NIOCore

extension Response {
    /// The policy allows styles, images and form targets of this server only, no script, and no frame around the page.
    private static let contentSecurityPolicy = """
        default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
        frame-ancestors 'none'
        """

    /// An HTML page that must not be cached. The caller must have escaped its content.
    package static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy: contentSecurityPolicy,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
