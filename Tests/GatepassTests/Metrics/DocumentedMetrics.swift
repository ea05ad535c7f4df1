import Foundation
import Support

/// What `docs/operations.md` says is measured.
enum DocumentedMetrics {
    /// The labels of each metric. Throws when the document cannot be read.
    static func labels() throws -> [String: Set<String>] {
        let page = try String(contentsOfFile: TestRun.repository + "/docs/operations.md", encoding: .utf8)
        let rows = page.matches(of: /\| `(gatepass_[a-z_]+)` \|([^|]*)\|/)
        return rows.reduce(into: [:]) { labels, row in
            labels[String(row.output.1)] = Set(row.output.2.matches(of: /`([a-z_]+)`/).map { String($0.output.1) })
        }
    }
}
