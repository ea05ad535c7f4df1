import FoundationEssentials

/// Prometheus's own judge of pages and rules, which `scripts/setup` puts under `.tools/`.
package enum Promtool {
    /// What it says of the file at `path` when asked to `check` such a thing; empty for a file in order. Tests of rules
    /// (`check: "tests"`) are run. Throws when it cannot be run.
    package static func complaints(check kind: String, of path: String) throws -> String {
        let log = "/tmp/gatepass-promtool-\(UInt32.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: log) }  // it is under /tmp
        let command =
            switch kind {
            case "metrics": "\"$0\" check metrics <\"$1\""
            case "tests": "\"$0\" test rules \"$1\""
            default: "\"$0\" check \(kind) \"$1\""
            }
        let arguments = ["sh", "-c", command, program, path]
        let status = try ChildProcess.start(arguments, log: log).waitForEnd()
        let said = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
        return status == 0 ? "" : "\(status): \(said)"
    }

    private static var program: String {
        let own = TestRun.repository + "/.tools/promtool"
        return FileManager.default.fileExists(atPath: own) ? own : "promtool"
    }
}
