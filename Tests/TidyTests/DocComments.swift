/// Every type and every throwing function says what it is; what is private to a type speaks through its callers.
enum DocComments {
    private static let types: Set<String> = ["struct", "class", "enum", "actor", "protocol"]
    private static let modifiers: Set<String> = [
        "package", "public", "internal", "private", "fileprivate", "final", "static", "mutating", "nonmutating",
        "indirect", "nonisolated", "override", "convenience", "required", "borrowing", "consuming",
    ]

    static func findings(in file: TextFile) -> [String] {
        let tokens = SwiftTokens.of(file.text)
        let documented = documentedLines(tokens)
        let code = tokens.filter { $0.kind != .comment }
        return code.indices.compactMap { index in
            guard let name = declaration(at: index, in: code) else { return nil }
            let line = code[start(of: index, in: code)].line
            return documented.contains(line) ? nil : "\(file.path):\(line): \(name) has no doc comment"
        }
    }

    /// What is declared here and must have a comment.
    private static func declaration(at index: Int, in code: [Token]) -> String? {
        let token = code[index]
        guard token.kind == .word, index + 1 < code.count else { return nil }
        let first = start(of: index, in: code)
        guard code[first].isFirst || first == 0 else { return nil }
        let next = code[index + 1]
        if types.contains(token.text), next.kind == .word, !["func", "var", "let"].contains(next.text) {
            return "\(token.text) \(next.text)"
        }
        guard token.text == "func" || token.text == "init", isThrowing(from: index, in: code) else { return nil }
        let isPrivate = code[first..<index].contains { $0.text == "private" || $0.text == "fileprivate" }
        return isPrivate ? nil : "throwing \(token.text) \(next.kind == .word ? next.text : "")"
    }

    /// Where the modifiers and attributes before a keyword begin.
    private static func start(of index: Int, in code: [Token]) -> Int {
        var first = index
        while first > 0, !code[first].isFirst, isModifier(first - 1, in: code) { first -= 1 }
        return first
    }

    private static func isModifier(_ index: Int, in code: [Token]) -> Bool {
        let token = code[index]
        if modifiers.contains(token.text) || token.text == "@" || token.text == "(" || token.text == ")" { return true }
        return index > 0 && ["@", "("].contains(code[index - 1].text)
    }

    /// Whether `throws` follows the parameters.
    private static func isThrowing(from index: Int, in code: [Token]) -> Bool {
        var position = index + 1
        while position < code.count, code[position].text != "(" {
            guard code[position].text != "{" else { return false }
            position += 1
        }
        var depth = 0
        while position < code.count {
            if code[position].text == "(" { depth += 1 }
            if code[position].text == ")" { depth -= 1 }
            position += 1
            if depth == 0 { break }
        }
        while position < code.count, ["async", "reasync"].contains(code[position].text) { position += 1 }
        return position < code.count && code[position].text == "throws"
    }

    /// The lines that follow a doc comment, attributes on lines of their own aside.
    private static func documentedLines(_ tokens: [Token]) -> Set<Int> {
        var lines: Set<Int> = []
        var isPending = false
        for token in tokens where token.isFirst {
            if token.kind == .comment {
                isPending = token.text.hasPrefix("///")
            } else if isPending {
                lines.insert(token.line)
                isPending = token.text == "@"
            }
        }
        return lines
    }
}
