import Crypto
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /metrics`: what a Prometheus server reads.
enum MetricsRoute {
    private static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// For whoever shows the token of the settings, beside everything else that is served.
    ///
    /// - Throws: `not_found` where no token is set, `unauthenticated`.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        guard let page = call.api.metricsPage, let token = page.token else { throw .notFound }
        let field = call.request.headers[.authorization] ?? ""
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw Problem(.missing as BearerRefusal) }
        // Digests are compared in constant time, whatever was sent.
        guard SHA256.hash(data: Array(parts[1].utf8)) == SHA256.hash(data: token) else {
            throw Problem(.invalid("The token is not that of the metrics.") as BearerRefusal)
        }
        return await answer(page)
    }

    /// For anyone, on a port of its own.
    ///
    /// - Throws: `not_found` where there are no metrics.
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

/// The page of metrics, and who may read it where everything else is served.
package struct MetricsPage: Sendable {
    /// Nobody without one.
    let token: [UInt8]?
    let text: @Sendable () async -> [UInt8]

    package init(token: [UInt8]?, text: @escaping @Sendable () async -> [UInt8]) {
        self.token = token
        self.text = text
    }
}
