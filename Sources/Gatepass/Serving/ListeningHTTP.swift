import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle

/// An HTTP server at one address.
struct ListeningHTTP<Application: ApplicationProtocol>: Service {
    let application: Application
    /// The address in messages, `host:port`.
    let address: String
    /// The advice to the operator if the address is taken, in the imperative.
    let remedy: String
    /// Called before the server stops, so that it is no longer reported as ready.
    var onShutdown: @Sendable () -> Void = {}
    /// Called at the end of a shutdown: every request that was accepted is answered, or was cut off.
    var onEnd: @Sendable () -> Void = {}

    /// Serves until the end. Throws `ServerFiles.Unusable` if the port is taken, or the host is none.
    func run() async throws {
        do {
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: {
                onShutdown()
            }
            if Task.isShuttingDownGracefully { onEnd() }
        } catch let error as IOError {
            let reason = String(cString: strerror(error.errnoCode))
            throw ServerFiles.Unusable(description: "\(address) cannot be listened at (\(reason)): \(remedy)")
        } catch let error as SocketAddressError.UnknownHost {
            let reason = error.errorDescription
            throw ServerFiles.Unusable(description: "\(address) cannot be listened at (\(reason)): \(remedy)")
        }
    }
}
