package import Hummingbird
import NIOCore

/// What belongs to one request beside its message.
package struct APIContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// As the client named the request, or as this server does.
    package internal(set) var requestID = ""
    private let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The address of whoever is connected: the client, or a proxy; nil where there is none to tell.
    var peer: String? { channel.remoteAddress?.ipAddress }
}
