package import Hummingbird
package import HummingbirdCore
import NIOCore

/// The limits of the server's connections (`threats.md` T14–T16). Hummingbird itself sets no limits.
package struct ServerLimits: Hashable, Sendable {
    /// The seconds after which an idle connection is closed, or one whose client does not read the answer.
    package var idleSeconds: Int64 = 30
    /// The seconds from the first byte of a request to the end of its header.
    package var headerSeconds: Int64 = 10
    /// The most seconds of any request, whatever its route allows.
    package var requestSeconds: Int64 = 60
    package var headerBytes = 32 * 1024
    package var headerFields = 100
    package var connections = 4096
    /// The most bytes that are read from a socket at once. Nothing is read while a request has no answer. Until then
    /// the client's further requests wait in the buffer of this size and in the network.
    package var readBytes = 16 * 1024
    /// The bytes of a body that are read before the route asks for the body, which it does after sign-in. One further
    /// read may come on top.
    static let unaskedBytes = 16 * 1024
    /// The bytes of a request that are still read and discarded after its answer.
    package var lateBytes = 64 * 1024
    /// The seconds that a closing connection waits for the client to read the answer.
    package var lingerSeconds: Int64 = 1

    package init() {}
}

extension API {
    /// The HTTP/1.1 server with these limits, for `Application(router:server:configuration:)`.
    package func server() -> HTTPServerBuilder {
        let guards = ConnectionGuard.Settings(
            limits: limits, table: table, places: places, crossOrigin: crossOrigin, newRequestID: newRequestID)
        return .http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionGuard(guards)], idleTimeout: .seconds(limits.idleSeconds),
                httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                    maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes,
                    maxHeaderFieldCount: limits.headerFields)))
    }

    /// The address to listen at, and the limit on open connections. Further connections wait in the backlog.
    package func configuration(at address: BindAddress) -> ApplicationConfiguration {
        ApplicationConfiguration(address: address, availableConnectionsDelegate: places)
    }
}
