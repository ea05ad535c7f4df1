/// Every test is named by a sentence in backticks, which is what a failure prints.
enum TestNames {
    static func findings(in file: TextFile) -> [String] {
        let code = SwiftTokens.code(of: file.text)
        return code.indexes(of: ["@", "Test"]).compactMap { start in
            guard let function = code[start...].firstIndex(where: { $0.text == "func" && $0.kind == .word }),
                function + 1 < code.count
            else { return nil }
            let hasTitle = code[start + 2].text == "(" && code[start + 3].kind == .string
            guard hasTitle || !code[function + 1].text.hasPrefix("`") else { return nil }
            return "\(file.path):\(code[start].line): the name of a test is a sentence in backticks"
        }
    }
}
