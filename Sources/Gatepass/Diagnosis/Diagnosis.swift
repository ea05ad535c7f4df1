/// The findings of all checks of `gatepass doctor`, in their order.
struct Diagnosis: Sendable {
    /// The exit status if nothing is wrong and a check warns.
    static let statusOfWarnings: Int32 = 2

    let findings: [(check: String, finding: Finding)]

    private var notOK: [Finding.Result] { findings.map(\.finding.result).filter { $0 != .ok } }

    /// The exit status: 0 if every check is ok, 1 if something is wrong or could not be looked at.
    var exitStatus: Int32 {
        notOK.isEmpty ? 0 : notOK.allSatisfy { $0 == .warning } ? Self.statusOfWarnings : 1
    }

    /// A line for each check, below it the advice, and a summary.
    var lines: [String] {
        let width = findings.map(\.check.count).max() ?? 0
        let indent = String(repeating: " ", count: Self.resultWidth + width)
        let rows = findings.flatMap { check, finding in
            let row =
                Self.padded(Self.word(for: finding.result), to: Self.resultWidth) + Self.padded(check, to: width)
                + "  " + finding.text
            return [row] + (finding.advice.map { ["\(indent)  → \($0)"] } ?? [])
        }
        return rows + [summary]
    }

    /// The findings as members of a JSON object.
    var document: [String: Any] {
        [
            "ok": notOK.isEmpty,
            "checks": findings.map { check, finding in
                [
                    "check": check, "result": finding.result.rawValue, "text": finding.text,
                    "advice": finding.advice ?? "",
                ]
            },
        ]
    }

    private static let resultWidth = 10

    private static func word(for result: Finding.Result) -> String {
        switch result {
        case .ok: "ok"
        case .warning: "warning"
        case .wrong: "WRONG"
        case .notDone: "not done"
        }
    }

    private var summary: String {
        guard !notOK.isEmpty else { return "All \(findings.count) checks are ok." }
        let counts = [(Finding.Result.wrong, "wrong"), (.warning, "to look at"), (.notDone, "not done")]
            .map { result, words in (notOK.count { $0 == result }, words) }
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return "\(findings.count - notOK.count) of \(findings.count) checks are ok; \(counts.joined(separator: ", "))."
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
