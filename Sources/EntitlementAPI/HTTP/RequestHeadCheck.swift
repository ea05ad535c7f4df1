import NIOCore
import NIOHTTP1

/// Judges a header by what the requests of ``ConnectionGuard`` no longer tell: the version, `Host` and
/// `Transfer-Encoding`.
final class RequestHeadCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Why a request is not answered; it goes to the guard as an error, in the request's place.
    struct Defect: Error, Hashable {
        /// The name of the defective field.
        let field: String
        /// The text of the problem that the client gets.
        let detail: String
    }

    private let wantsClosing: () -> Void

    /// `wantsClosing` is called when the connection has to be closed after the answer. An HTTP/1.0 client that does not
    /// ask to keep its connection expects the end (RFC 9112 §9.3). A client that offers another protocol (`Upgrade`) is
    /// answered in this one, and the decoder reads nothing after its request.
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

    /// The defect for which RFC 9112 refuses a request: a host that is missing or said twice (§3.2), or a body whose
    /// end a proxy may see elsewhere (§6.1), by which one request is smuggled in another.
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

    /// True if a text has none of the characters by which several hosts, or more than a host, would stand in it (RFC
    /// 3986 §3.2).
    private static func isHost(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (0x21...0x7E).contains(byte) && !",/?#@\\".utf8.contains(byte)
        }
    }
}
