import AppStore
import Entitlements
import FoundationEssentials
import HTTPTypes
import LedgerStore
import StoreSimulator
import Support
import Testing

@testable import EntitlementAPI

/// `api.md` gives each problem the status that it is answered with; `TidyTests` compare the codes and their order.
struct ProblemCodeTests {
    @Test func `the page gives each code its status`() throws {
        let page = String(
            decoding: try Data(contentsOf: URL(filePath: TestRun.repository + "/api.md")), as: UTF8.self)
        for code in ProblemCode.allCases {
            #expect(page.contains("\n| `\(code.rawValue)` | \(code.status.code) |"), "\(code)")
        }
    }

    @Test func `what Xcode signs is of no environment, and a long header is refused`() async throws {
        try await TestServer.run { server in
            let status = "/api/iap/apple/status"
            let attach = "/api/iap/apple/transactions/attach"
            var payload = Fixture.pass().payload
            for (environment, code) in [("Sandbox", nil), ("Xcode", "wrong_environment")] {
                payload["environment"] = .string(environment)
                let body = #"{"signedTransactionJWS":"\#(try server.authority.sign(payload))"}"#
                #expect(try await server.send("POST", attach, body).code == code, "\(environment)")
            }
            let long = [("X-Long", String(repeating: "x", count: 40_000))]
            try await server.expectRefusal(431, "headers_too_large", "GET", status, fields: long)
        }
    }

    @Test func `an add-on of several apps is named with its app`() async throws {
        let catalogue = CatalogueVersions(
            first: CatalogueVersions.Version(
                number: 1, effectiveAt: .distantPast, catalogue: Fixture.catalogue(of: [AppID("a"), AppID("b")])))
        try await TestServer.run(catalogue: catalogue) { server in
            let path = "/api/admin/users/u1/grants"
            let grant = #""kind":"add_on","product_id":"addon","reason":"sorry","reference":"t1""#
            let fields = [("Idempotency-Key", "k1")]
            try await server.expectRefusal(
                422, "ambiguous_product", "POST", path, "{\(grant)}", fields: fields, token: Fixture.apiKey(.write))
            let named = try await server.send(
                "POST", path, #"{"app":"a",\#(grant)}"#, token: Fixture.apiKey(.write), fields: fields)
            #expect(named.status == 201, "\(named.body)")
        }
    }
}
