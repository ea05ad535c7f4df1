package import Hummingbird
package import HummingbirdCore
import NIOCore

/// The limits of one connection (`threats.md` T14–T16). Hummingbird's own values are open.
package struct ServerLimits: Hashable, Sendable {
    /// Until a connection without a request is closed, and one that does not take its answer.
    package var idleSeconds: Int64 = 30
    /// From the first byte of a request to the end of its header.
    package var headerSeconds: Int64 = 10
    /// The longest that any request may take, whatever its route allows.
    package var requestSeconds: Int64 = 60
    package var headerBytes = 32 * 1024
    package var headerFields = 100
    package var connections = 4096
    /// The most that is read from a socket at once; while a request has no answer nothing is read, so the requests that
    /// a client sends ahead wait within this, and in the network.
    package var readBytes = 16 * 1024
    /// How much of a body is taken before anybody asks for it, which nobody does before sign-in succeeded; one read
    /// more may come.
    static let unaskedBytes = 16 * 1024
    /// How much of a request is still taken after its answer.
    package var lateBytes = 64 * 1024
    /// How long a connection that is being closed waits for the client to read the answer.
    package var lingerSeconds: Int64 = 1

    package init() {}
}

extension API {
    /// HTTP/1.1 with the limits, for `Application(router:server:configuration:)`.
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

    /// Where to listen, and for how many at once; more wait in the backlog.
    package func configuration(at address: BindAddress) -> ApplicationConfiguration {
        ApplicationConfiguration(address: address, availableConnectionsDelegate: places)
    }
}
