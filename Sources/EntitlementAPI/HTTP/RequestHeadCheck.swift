import NIOCore
import NIOHTTP1

/// Checks the HTTP version, `Host` and `Transfer-Encoding` of a request. The requests that ``ConnectionGuard`` sees do
/// not have them any more.
final class RequestHeadCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// The defect of a request. It is sent on to the guard as an error in the request's place.
    struct Defect: Error, Hashable {
        /// The name of the defective header field.
        let field: String
        /// The text of the problem that the client gets.
        let detail: String
    }

    private let wantsClosing: () -> Void

    /// - Parameter wantsClosing: Is called if the connection must be closed after the answer. An HTTP/1.0 client
    ///   expects that unless it asks to keep the connection (RFC 9112 §9.3). A client that asks for an `Upgrade` is
    ///   answered in HTTP/1.1, and the decoder reads nothing after its request.
    init(_ wantsClosing: @escaping () -> Void) {
        self.wantsClosing = wantsClosing
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            if let defect = Self.defect(of: head) { return context.fireErrorCaught(defect) }
            let wantsUpgrade = head.headers.contains(name: "Upgrade")
            if wantsUpgrade || head.version == .http1_0 && !head.isKeepAlive { wantsClosing() }
        }
        context.fireChannelRead(data)
    }

    /// The defect for which RFC 9112 refuses a request: a missing or repeated `Host` (§3.2), or an unclear end of the
    /// body (§6.1). A proxy may see that end elsewhere, so that another request can be smuggled in.
    private static func defect(of head: HTTPRequestHead) -> Defect? {
        let hosts = head.headers["Host"]
        guard hosts.count == 1 || hosts.isEmpty && head.version == .http1_0, hosts.allSatisfy(isHost) else {
            return Defect(field: "Host", detail: "A request names its Host exactly once.")
        }
        let codings = head.headers["Transfer-Encoding"]
        guard codings.isEmpty || codings.map({ $0.lowercased() }) == ["chunked"] && head.version != .http1_0 else {
            return Defect(field: "Transfer-Encoding", detail: "The only Transfer-Encoding is chunked.")
        }
        return nil
    }

    /// True if a text can be one host: it has no character that separates hosts, or the host from other parts of a URL
    /// (RFC 3986 §3.2).
    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && !",/?#@\\".utf8.contains(byte)
        }
    }
}
