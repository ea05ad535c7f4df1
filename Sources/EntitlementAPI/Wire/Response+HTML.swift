package import HTTPTypes
package import Hummingbird
import NIOCore

extension Response {
    /// A page takes styles and images from this server alone, sends its forms nowhere else, runs no script and stands
    /// in no other page.
    private static let contentSecurityPolicy = """
        default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
        frame-ancestors 'none'
        """

    /// A page for people, which nothing may cache. The caller that makes `text` escapes its content.
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
