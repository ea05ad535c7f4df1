import Crypto
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /metrics`: the metrics in the text format of Prometheus.
enum MetricsRoute {
    private static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The metrics on the main port, for a bearer of the token from the settings.
    ///
    /// - Throws: `not_found` if no token is set, `unauthenticated` for another token.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        guard let page = call.api.metricsPage, let token = page.token else { throw .notFound }
        let field = call.request.headers[.authorization] ?? ""
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw Problem(.missing as BearerRefusal) }
        // Comparing digests takes the same time, whatever was sent.
        guard SHA256.hash(data: Array(parts[1].utf8)) == SHA256.hash(data: token) else {
            throw Problem(.invalid("The token is not that of the metrics.") as BearerRefusal)
        }
        return await answer(page)
    }

    /// The metrics on a port of their own, without authentication.
    ///
    /// - Throws: `not_found` if metrics are not served.
    static func respondOpenly(to call: OpenCall) async throws(Problem) -> Response {
        guard let page = call.api.metricsPage else { throw .notFound }
        return await answer(page)
    }

    private static func answer(_ page: MetricsPage) async -> Response {
        let text = await page.text()
        return Response(
            status: .ok, headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
    }
}

/// The page of metrics, and the token for reading it on the main port.
package struct MetricsPage: Sendable {
    /// The bearer token; if nil, the main port does not serve the page.
    let token: [UInt8]?
    let text: @Sendable () async -> [UInt8]

    package init(token: [UInt8]?, text: @escaping @Sendable () async -> [UInt8]) {
        self.token = token
        self.text = text
    }
}
