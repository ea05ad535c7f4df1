import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// The policy allows our own stylesheet, and forms to ourselves; no script, no frame around the page.
    private static let contentSecurityPolicy = """
        default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; \
        base-uri 'none'
        """

    /// A page, which nobody keeps.
    static func page(_ document: Markup, status: HTTPResponse.Status = .ok, cookie: String? = nil) -> Response {
        var headers = safe
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.setCookie] = cookie
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: document.document)))
    }

    /// The answer that sends the browser to another page, by GET.
    static func redirected(to link: Link, cookie: String? = nil) -> Response {
        var headers = safe
        headers[.location] = link.text
        headers[.setCookie] = cookie
        return Response(status: .seeOther, headers: headers)
    }

    /// The header fields of every answer but the stylesheet.
    static var safe: HTTPFields {
        var headers: HTTPFields = [.cacheControl: "no-store", .contentSecurityPolicy: contentSecurityPolicy]
        if let policy = HTTPField.Name("Referrer-Policy") { headers[policy] = "same-origin" }
        return headers
    }
}
