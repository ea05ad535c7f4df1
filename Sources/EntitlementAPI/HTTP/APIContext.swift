package import Hummingbird
import NIOCore

/// The context of a request, apart from its message.
package struct APIContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The request's id, by the client or by this server.
    package internal(set) var requestID = ""
    /// The rate under which the request was counted, if it was.
    let countedRate = CountedRate()
    private let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Has the connection read on where it holds back a body that is larger than what it takes unasked. `length` is
    /// that declared, in bytes.
    func askForBody(of length: Int?) {
        guard length.map({ $0 > ServerLimits.unaskedBytes }) ?? true else { return }
        channel.triggerUserOutboundEvent(ConnectionGuard.BodyWanted(), promise: nil)
    }

    /// The address of the connected peer, which is the client or a proxy; nil if the channel has none.
    var peer: String? { channel.remoteAddress?.ipAddress }
}
