import FoundationEssentials
import HTTPTypes
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
}
