import EntitlementAPI
import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore
import NIOCore

/// The endpoints of another module, by the package's interface alone: this file imports nothing as testable.
enum OtherModule {
    static let webhookLimit = 256 * 1024

    static let endpoints: [Endpoint] = [
        .webhook(.post, "/other/webhook", take).allowing(bodyBytes: webhookLimit),
        .webhook(.post, "/other/small", take).allowing(bodyBytes: 10),
        .open(.get, "/other/page", page),
        .open(.get, "/other/slow/{seconds}", wait).allowing(seconds: 1),
        .open(.get, "/other/patient/{seconds}", wait),
        .signedIn(.get, "/other/mine", rate: .read) { call throws(Problem) in .html(call.user.text) },
        .server(.get, "/other/servers", .write) { call throws(Problem) in .html(call.key.name) },
        .open(.get, "/other/tools/{name}", page).inDevelopmentOnly,
        .webhook(.post, "/other/tools/{name}", take).allowing(bodyBytes: webhookLimit).inDevelopmentOnly,
    ]

    /// Answers with what came.
    ///
    /// - Throws: `payload_too_large`; `invalid_request` for what a store did not sign.
    private static func take(_ call: OpenCall) async throws(Problem) -> Response {
        let bytes = try await call.bytes()
        guard !bytes.starts(with: "forged".utf8) else {
            throw Problem(.invalidRequest, "The signature does not match.")
        }
        return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// - Throws: Nothing; endpoints have one form.
    private static func page(_ call: OpenCall) async throws(Problem) -> Response {
        .html("<!doctype html><title>\(call.named("name") ?? "Other")</title>")
    }

    /// - Throws: Nothing; endpoints have one form.
    private static func wait(_ call: OpenCall) async throws(Problem) -> Response {
        // Lost: that the connection ended before.
        try? await Task.sleep(for: .seconds(Int(call.named("seconds") ?? "") ?? 0))
        return .html("waited")
    }
}
