import Support
import Testing

/// A server whose database is away.
@Suite struct DatabaseAwayTests {
    @Test func `a server answers what needs no database, refuses the rest, and ends when told`() async throws {
        let server = try ServingProcess(
            "serve",
            environment: [
                "GATEPASS_DATABASE_SOCKET": "/tmp/there-is-no-socket",
                "GATEPASS_AUTH_HS256_SECRET": "a-secret-of-the-tests-with-64-bytes-0123456789-0123456789-012345",
            ])
        defer { server.remove() }
        #expect(await server.answers("/livez", 200))
        for (path, status) in [("/livez", 200), ("/readyz", 503), ("/api/iap/apple/products", 200)] {
            #expect(try await server.get(path).status == status, "\(path)")
        }
        #expect(try await server.get("/api/iap/apple/products").body.contains("\"products\":[{"))
        #expect(await server.end() == 0)
    }
}
