import FoundationEssentials
import HTTPTypes
import Testing

@testable import EntitlementAPI

/// `openapi.yaml` and `api.md` name what there is.
struct DocumentsTests {
    @Test func everyRouteAndCodeIsDocumented() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(filePath: "/\(root)/\(name)")), as: UTF8.self)
        }
        let (openAPI, pages) = (try text("openapi.yaml"), try text("api.md"))
        for endpoint in Routes.all {
            let operations =
                openAPI.split(separator: "\n  \(endpoint.path):\n", maxSplits: 1).dropFirst().first?
                .split(separator: "\n  /", maxSplits: 1).first ?? ""
            #expect(("\n" + operations).contains("\n    \(endpoint.method.rawValue.lowercased()):\n"))
            #expect(pages.contains("\(endpoint.method.rawValue) \(endpoint.path)"), "\(endpoint.path)")
        }
        var last = pages.startIndex
        for code in ProblemCode.allCases {
            #expect(openAPI.contains("        - \(code.rawValue)\n"))
            let place = pages.firstRange(of: "| `\(code.rawValue)` | \(code.status.code) |")?.lowerBound
            #expect(place.map { $0 > last } == true, "\(code) in its place")
            last = place ?? last
        }
    }
}
