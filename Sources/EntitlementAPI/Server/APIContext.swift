package import Hummingbird

/// What belongs to one request beside its message.
package struct APIContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// As the client named the request, or as this server does.
    package internal(set) var requestID = ""

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}
