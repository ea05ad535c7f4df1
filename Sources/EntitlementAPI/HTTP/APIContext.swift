package import Hummingbird
import NIOCore

/// The data that travels with a request: its id and its connection.
package struct APIContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The request's id, chosen by the client or else by this server.
    package internal(set) var requestID = ""
    /// The rate under which the request was counted, if it was.
    let countedRate = CountedRate()
    private let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Lets the connection read the rest of a body that is larger than what it takes before the route asks. `length` is
    /// the declared length in bytes.
    func askForBody(of length: Int?) {
        guard length.map({ $0 > ServerLimits.unaskedBytes }) ?? true else { return }
        channel.triggerUserOutboundEvent(ConnectionGuard.BodyWanted(), promise: nil)
    }

    /// The IP address of the connected peer, which is the client or a proxy; nil if the connection has none.
    var peer: String? { channel.remoteAddress?.ipAddress }
}
