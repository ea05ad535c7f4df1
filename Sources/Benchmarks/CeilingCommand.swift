import ArgumentParser
import Entitlements
import EntitlementAPI
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Serves a fixed answer behind the product's own check of user tokens. The status route over the same HTTP server
/// cannot be faster than this.
struct CeilingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ceiling", abstract: "Serves a fixed JSON body behind the bearer check.")

    @Option(help: "The port on 127.0.0.1.")
    var port: Int

    @Option(help: "The secret that user tokens are signed with.")
    var secret: String

    @Option(help: "The file whose content is every answer's body.")
    var body: String

    /// - Throws: An error if the port is taken.
    func run() async throws {
        let bearers = try await BearerVerifier(.secrets([Array(secret.utf8)]), policy: BearerPolicy())
        let body = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: body)))
        let router = Router()
        router.get("/readyz") { _, _ in HTTPResponse.Status.ok }
        router.get("/api/iap/apple/status") { request, _ in
            do throws(BearerRefusal) {
                _ = try await bearers.user(
                    authorization: request.headers[.authorization], at: Instant(milliseconds: Wall.milliseconds))
            } catch {
                return Response(status: .unauthorized)
            }
            return Response(
                status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
        }
        var logger = Logger(label: "ceiling")
        logger.logLevel = .warning
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            logger: logger)
        try await application.runService()
    }
}
