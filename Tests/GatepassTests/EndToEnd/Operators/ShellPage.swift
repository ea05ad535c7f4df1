import Foundation
import Support

/// The commands of a document, as a person pastes them into a shell one after the other, and what it shows of them.
struct ShellPage {
    /// A command, or all commands of a block, and the lines of the answer that the document shows.
    struct Step: Equatable {
        var command: String
        var shown: [String] = []
    }

    private(set) var steps: [Step] = []

    /// Reads blocks of `console`, whose commands begin with `$`, and of `sh`, which have commands alone. A block of
    /// `json` is the answer to the last command. Blocks below a comment that begins with `not run:` are left out.
    init(_ text: String) {
        var (block, isLeftOut, last) = ("", false, "")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                isLeftOut = block.isEmpty ? last.hasPrefix("<!-- not run: ") : isLeftOut
                block = block.isEmpty ? String(line.dropFirst(3)) : ""
                if block == "sh", !isLeftOut { steps.append(Step(command: "")) }
            } else if !block.isEmpty, !isLeftOut {
                take(line, in: block)
            }
            if !line.isEmpty { last = line }
        }
    }

    private mutating func take(_ line: String, in block: String) {
        switch block {
        case "console" where line.hasPrefix("$ "): steps.append(Step(command: String(line.dropFirst(2))))
        case "console" where isOpen, "sh": steps[steps.count - 1].command += "\n" + line
        case "console", "json": steps[steps.count - 1].shown.append(line)
        default: break
        }
    }

    /// True if the last command goes on in the next line.
    private var isOpen: Bool {
        let command = steps.last?.command ?? ""
        return command.hasSuffix("\\") || command.contains("<<'END'") && !command.hasSuffix("\nEND")
    }

    /// A script for bash that runs all steps, with a mark in front of each, and another one where a command fails. A
    /// server is waited for, and ended with the script.
    var script: String {
        let head = """
            exec 2>&1 </dev/null
            servers=
            trap 'echo "failed: $BASH_COMMAND"' ERR
            trap '[ -z "$servers" ] || kill $servers; wait' EXIT

            """
        let parts = steps.enumerated().map { number, step in
            guard step.command.hasPrefix("gatepass dev ") else {
                return Self.mark(number) + "\n" + step.command + "\n"
            }
            return """
                \(Self.mark(number))
                \(step.command) >server.log 2>&1 &
                servers="$servers $!"
                until grep -q └ server.log; do kill -0 $! || exit; sleep 0.1; done

                """
        }
        return head + parts.joined() + "printf '\\n::end\\n'\n"
    }

    /// The mark stands on a line of its own, also behind an answer without a line's end.
    private static func mark(_ number: Int) -> String { "printf '\\n::%s\\n' \(number)" }

    /// What is wrong with what the script printed: a command that failed, or a line that is shown and did not come.
    func findings(in printed: String) -> [String] {
        let answers = steps.indices.map { number in
            let rest = printed.split(separator: "::\(number)\n", maxSplits: 1, omittingEmptySubsequences: false)
            return rest.count < 2 ? "" : String(rest[1].split(separator: "\n::", maxSplits: 1).first ?? "")
        }
        let missing = zip(steps, answers).flatMap { step, answer in
            let lines = answer.split(separator: "\n").map(String.init)
            return step.shown.filter { !ShownLine($0).isIn(lines) }.map {
                "\(step.command): \($0)\nis not in:\n\(answer)"
            }
        }
        let failed = printed.split(separator: "\n").filter { $0.hasPrefix("failed: ") }.map(String.init)
        return failed + missing + (printed.hasSuffix("::end\n") ? [] : ["the end was not reached:\n\(printed)"])
    }
}

/// A line that a document shows of an answer.
struct ShownLine {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Whether one of `lines` is this one, but for ids and instants; `…` stands for anything.
    func isIn(_ lines: [String]) -> Bool {
        let parts = text.split(separator: "…").map { Self.pattern(of: String($0)).joined(separator: " ") }
        guard text.contains("…") else { return lines.contains { Self.pattern(of: $0) == Self.pattern(of: text) } }
        return lines.contains { line in
            parts.allSatisfy { Self.pattern(of: line).joined(separator: " ").contains($0) }
        }
    }

    /// The words of a line, with a mark for each that differs from run to run.
    static func pattern(of line: String) -> [String] { words(of: line).map { differs($0) ? "#" : $0 } }

    static func words(of line: String) -> [String] {
        line.split { " \t(),;\"".contains($0) }.map { $0.hasSuffix(":") ? String($0.dropLast()) : String($0) }
    }

    /// Whether a word is an instant, a long id or one of a card account, and no name of a product.
    static func differs(_ word: String) -> Bool {
        let digits = word.count(where: \.isNumber)
        // An id of a card account may have no digit.
        if ["sub_", "pi_"].contains(where: word.hasPrefix) { return true }
        return !word.contains(".") && (digits >= 8 || digits > 0 && word.count > 16)
    }
}
