import Foundation
import NIOHTTP1
import Support
import Testing

@testable import EntitlementAPI

/// What `GET /openapi/app.yaml` serves: the part of `openapi.yaml` that an app needs.
struct OpenAPIPartTests {
    private static func document() throws -> String {
        try String(contentsOf: URL(filePath: TestRun.repository + "/openapi.yaml"), encoding: .utf8)
    }

    /// The places of components that the text defines, and those that it refers to.
    private static func components(of text: String) -> (defined: Set<String>, named: Set<String>) {
        var (section, group) = ("", "")
        var (defined, named): (Set<String>, Set<String>) = ([], [])
        for line in text.split(separator: "\n") {
            let indentation = line.prefix { $0 == " " }.count
            let name = String(line.dropFirst(indentation).dropLast())
            if indentation == 0 { section = name }
            if section == "components", indentation == 2 { group = name }
            if section == "components", indentation == 4 { defined.insert("\(group)/\(name)") }
            for word in line.split(separator: "\"") where word.hasPrefix("#/components/") {
                named.insert(String(word.dropFirst("#/components/".count)))
            }
        }
        return (defined, named)
    }

    @Test func `an app gets its operations and what they refer to, as they stand in the whole`() async throws {
        let whole = try Self.document()
        try await TestServer.run(openAPI: Array(whole.utf8)) { server in
            let answer = try await server.send("GET", "/openapi/app.yaml", token: nil)
            #expect(answer.status == 200 && answer.headers.first(name: "content-type") == "application/yaml")
            #expect(answer.headers.first(name: "cache-control") == "public, max-age=300")
            let lines = answer.body.split(separator: "\n")
            let operations = lines.count { $0.hasPrefix("      operationId: ") }
            #expect(operations > 15 && lines.count { $0 == "      tags: [app]" } == operations)
            #expect(whole.split(separator: "\n").count { $0 == "      tags: [app]" } == operations)
            #expect(lines.contains("  /api/iap/apple/status:") && !answer.body.contains("/api/admin"))
            #expect(lines.filter { $0.hasPrefix("  - name: ") } == ["  - name: app"])
            let (defined, named) = Self.components(of: answer.body)
            #expect(named.count > 50 && named.subtracting(defined) == [])
            #expect(defined.subtracting(named) == ["securitySchemes/user", "securitySchemes/server"])
            // Nothing is changed, and everything is in its order.
            var rest = whole.split(separator: "\n")[...]
            for line in lines {
                guard let place = rest.firstIndex(of: line) else {
                    Issue.record("\(line)")
                    break
                }
                rest = rest[(place + 1)...]
            }
            #expect(try await server.send("GET", "/openapi.yaml", token: nil).body == whole)
        }
    }

    @Test func `a part has only what is reached from it`() {
        let document = """
            openapi: 3.1.0
            tags:
              - name: a
                description: A.
              - name: b
            paths:
              /one:
                get:
                  tags: [a]
                  schema: {$ref: "#/components/schemas/One"}
                put:
                  tags: [b]
              /two:
                get:
                  tags: [b]
                  schema: {$ref: "#/components/schemas/Two"}
            components:
              parameters:
                Two:
                  name: two
              schemas:
                One:
                  items: {$ref: "#/components/schemas/Three"}
                Two:
                  items: {$ref: "#/components/schemas/Three"}
                Three:
                  items: {$ref: "#/components/schemas/One"}

            """
        let part = """
            openapi: 3.1.0
            tags:
              - name: a
                description: A.
            paths:
              /one:
                get:
                  tags: [a]
                  schema: {$ref: "#/components/schemas/One"}
            components:
              schemas:
                One:
                  items: {$ref: "#/components/schemas/Three"}
                Three:
                  items: {$ref: "#/components/schemas/One"}

            """
        #expect(OpenAPIRoute.part(tagged: "a", of: document) == part)
        #expect(OpenAPIRoute.part(tagged: "a", of: "") == "")
    }

    @Test func `without the file there is nothing`() async throws {
        try await TestServer.run(openAPI: []) { server in
            try await server.expectRefusal(404, "not_found", "GET", "/openapi/app.yaml", token: nil)
        }
    }
}
