import EntitlementAPI
import FoundationEssentials
import HTTPTypes
import Support
import Testing

@testable import Dashboard

/// The list of pages that browser tests walk (`scripts/browser/dashboard/pages.txt`).
@Suite struct PageListTests {
    private static let dashboard = Dashboard(
        Dashboard.Settings(origins: { [] }, isSecure: true), zones: { _, _ in nil }, newToken: { [] },
        hold: { _ in })

    @Test func `browser tests walk every page`() throws {
        let list = try String(
            contentsOfFile: TestRun.repository + "/scripts/browser/dashboard/pages.txt", encoding: .utf8)
        let lines = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
        #expect(lines.allSatisfy { $0.count == 4 && ["in", "out", "empty"].contains($0[0]) })
        #expect(Set(lines.map { $0[1] }).count == lines.count)
        let walked = Set(lines.map { String($0[2]) })
        let pages = Set(
            Self.dashboard.endpoints.filter {
                $0.method == .get && !$0.path.hasPrefix("/dashboard/style/") && !$0.path.hasSuffix(".csv")
            }.map(\.path))
        #expect(walked == pages)
    }
}
