import Entitlements
import Logging
import MariaDB
import ServiceLifecycle
import StoreSimulator
import Support
import Testing

@testable import Gatepass

extension EndToEnd {
    /// What a server sells, and what a store signed, is judged by the clock that it is handed; who signs in, in real
    /// time.
    @Suite struct Clocks {
        private static let ahead = 90 * day

        /// A server of this process, as one that could run inside a group.
        private struct Serving: Service {
            let server: Server

            /// Throws what makes a start impossible.
            func run() async throws {
                try await server.run(until: [])
            }
        }

        /// Serves by a clock that is ahead while `body` runs. Throws what `body` throws, and what makes a start
        /// impossible.
        private static func serving(_ body: (EndToEndServer) async throws -> Void) async throws {
            let prepared = try await EndToEndServer()
            let files = ServerFiles(lookup: .ofProcess())
            let logger = Logger(label: "clock") { _ in SwiftLogNoOpLogHandler() }
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let server = Server(
                settings: try LoadedSettings(from: SettingsInputs(environment: prepared.environment)).settings,
                catalogueFile: try CatalogueFile(text: EndToEndServer.catalogue(), fileName: "catalog.yaml"),
                migrations: try files.migrations(TestRun.repository + "/migrations"), files: files,
                database: prepared.schema.settings, logger: logger, clock: WallClock { Surroundings.now() + ahead },
                onReady: { port.yield($0) })
            let group = ServiceGroup(services: [Serving(server: server)], logger: logger)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { port.finish() }
                    try await group.run()
                }
                let served: Result<Void, any Error>
                do {
                    for await _ in ports {
                        try await body(prepared)
                        break
                    }
                    served = .success(())
                } catch {
                    served = .failure(error)
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                try served.get()
            }
        }

        @Test func `months ahead a pass bought now has ended, and the sign-in made now is accepted`() async throws {
            try await Self.serving { server in
                let user = "ahead" + newID()
                let boughtAt = now - 1_000
                let pass = EndToEndServer.pass(at: boughtAt)
                let attached = try await server.attach(try server.sign(pass), as: user)
                #expect(attached.status == 200, "\(attached.text)")
                #expect(attached.string("outcome") == "attached")
                #expect(attached.string("reason") == "ended_before_attached")
                let status = try await server.status(of: user)
                #expect(status.string("state") == "expired" && status.string("tier") == "free", "\(status.text)")
                #expect(status.integer("expires_at_ms") == boughtAt + 30 * day)
                let recorded = try await server.schema.number("SELECT MIN(recorded_at) FROM ledger_entries")
                #expect(recorded >= boughtAt + Self.ahead)
                let expired = try await server.send(
                    "GET", EndToEndServer.statusPath,
                    fields: [("Authorization", "Bearer " + EndToEndServer.token(of: user, expiresIn: -61))])
                #expect(expired.status == 401)
            }
        }

        @Test func `months ahead a text that is dated later than the clock is refused`() async throws {
            try await Self.serving { server in
                let soon = EndToEndServer.pass(at: now + Self.ahead - day)
                let attached = try await server.attach(try server.sign(soon), as: "ahead" + newID())
                #expect(attached.string("outcome") == "attached", "\(attached.text)")
                let pass = EndToEndServer.pass(at: now + Self.ahead + day)
                let refused = try await server.attach(try server.sign(pass), as: "ahead" + newID())
                #expect(refused.status == 422, "\(refused.text)")
                #expect(refused.string("reason") == "signed_date_out_of_range")
            }
        }
    }
}
