package import Hummingbird
import NIOCore

/// The data that travels with a request: its id and its connection.
package struct APIContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The request's id, chosen by the client or else by this server.
    package internal(set) var requestID = ""
    /// The rate limit that the request was counted under, if any.
    let countedRate = CountedRate()
    private let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Lets the connection read the whole body. Before this call it reads about ``ServerLimits/unaskedBytes`` of it.
    /// `length` is the declared length in bytes; nil if none was declared.
    func askForBody(of length: Int?) {
        guard length.map({ $0 > ServerLimits.unaskedBytes }) ?? true else { return }
        channel.triggerUserOutboundEvent(ConnectionGuard.BodyWanted(), promise: nil)
    }

    /// Has `end` called once the request took too long, or its connection is closed before it is answered.
    func whenCallerLeaves(_ end: @escaping @Sendable () -> Void) {
        channel.triggerUserOutboundEvent(ConnectionGuard.Work(end: end), promise: nil)
    }

    /// The IP address of the connected peer, which is the client or a proxy; nil if the connection has none.
    var peer: String? { channel.remoteAddress?.ipAddress }
}
