import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Serves HTTP at an address.
struct ListeningHTTP<Application: ApplicationProtocol>: Service {
    let application: Application
    /// As messages name it: `host:port`.
    let address: String
    /// The operator's remedy for an address that is taken, in the imperative.
    let remedy: String
    /// Called when it is to end, before it does: readiness is withdrawn first.
    var onShutdown: @Sendable () -> Void = {}

    /// Serves until the end. Throws `ServerFiles.Unusable` when the port is taken.
    func run() async throws {
        do {
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: {
                onShutdown()
            }
        } catch let error as IOError {
            let reason = String(cString: strerror(error.errnoCode))
            throw ServerFiles.Unusable(description: "\(address) cannot be listened at (\(reason)): \(remedy)")
        }
    }
}
