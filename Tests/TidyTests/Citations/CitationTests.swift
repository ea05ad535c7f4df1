import Testing

/// Comments and documents cite what is there.
@Suite struct CitationTests {
    /// The documents of a small repository.
    private static let documents = [
        TextFile(
            path: "docs/rules.md",
            text: "# Rules\n\n## 1 Facts\n\n### Terms\n\n## 2 The clock\n\n**In one order.** Yes.\n\n### 2.1 Ends\n"),
        TextFile(path: "threats.md", text: "## Requests\n\n| id | what |\n|---|---|\n| T1 | a |\n| T2 | b |\n"),
        TextFile(path: "api.md", text: "## Status: `GET /status`\n\n### API keys\n"),
    ]

    private static func findings(_ comment: String, path: String = "Sources/A/B.swift") -> [String] {
        let isSwift = path.hasSuffix(".swift")
        let text = isSwift ? "/// " + comment.split(separator: "\n").joined(separator: "\n/// ") : comment
        return Citations(into: documents).findings(in: TextFile(path: path, text: text + "\n"))
    }

    @Test func `every citation leads to a document, a section and a name that are there`() {
        let files = SourceTree.files(in: "")
        let citations = Citations(into: files)
        #expect(files.flatMap(citations.findings) == [])
    }

    @Test func `every link of a document leads to a file and a heading`() {
        let files = SourceTree.files(in: "")
        let citations = Citations(into: files)
        let paths = Set(files.map(\.path) + SourceTree.pictures)
        #expect(files.flatMap { citations.brokenLinks(in: $0, of: paths) } == [])
    }

    /// Files of tests that a text names in backticks and that are not there; what follows in quotation marks has to be
    /// the name of a test in them.
    private static func missingTests(in text: String, of files: [TextFile]) -> [String] {
        text.matches(of: /`([A-Za-z]+Tests)`(?:,\s+\x22([^\x22]+)\x22)?/).compactMap { match in
            let (file, part, folder) = ("/\(match.1).swift", "/\(match.1)+", "Tests/\(match.1)/")
            let named = files.filter {
                $0.path.hasSuffix(file) || $0.path.contains(part) || $0.path.hasPrefix(folder)
            }
            guard !named.isEmpty else { return String(match.1) }
            guard let title = match.2 else { return nil }
            let name = "`" + title.split(whereSeparator: \.isWhitespace).joined(separator: " ") + "`"
            return named.contains { $0.text.contains(name) } ? nil : "\(match.1) \(name)"
        }
    }

    @Test func `every test that a document names is there`() {
        let documents = SourceTree.files(in: "", suffix: ".md")
        #expect(documents.flatMap { Self.missingTests(in: $0.text, of: SourceTree.tests) } == [])
        let file = TextFile(path: "Tests/A/B/CTests.swift", text: "@Test func `a thing holds`() {}")
        #expect(Self.missingTests(in: "`CTests`, \"a thing\nholds\", `CTests`, `A`", of: [file]) == [])
        #expect(Self.missingTests(in: "`DTests`; `CTests`, \"nothing holds\"", of: [file]).count == 2)
    }

    @Test(arguments: [
        "`rules.md`", "`rules.md` §1", "`docs/rules.md` §2.1, RFC 8259 §77", "`rules.md` §1, *terms*, and more",
        "`rules.md` §2, *In one order*", "`rules.md`, *The clock*", "`rules.md` §1 and §2.1; `threats.md` T1, T2",
        "`threats.md` T1–T2", "`api.md`, \"Status\" and \"API keys\"", "the rule (`rules.md` §1). It is (§2) known",
        "a UTF8 text, T9", "`threats.md` T1. There is no T9 in the next sentence", "RFC 8259 §3.5, §4",
        "https://example.com/none.md", "`rules.md`\n§2.1", "the `*.md` files",
    ])
    func `what is there is not found`(comment: String) {
        #expect(Self.findings(comment) == [])
    }

    @Test(arguments: [
        "`none.md`", "`docs/none.md` §1", "`rules.md` §3", "`rules.md` §1, §2.2", "`rules.md` §1, *Ends*",
        "`rules.md` §2, *in another order*", "`rules.md`\n§3", "`threats.md` T3", "`threats.md` T2–T3",
        "`threats.md` T1, T4", "`api.md`, \"Keys\"", "`api.md`, \"API keys\" and \"Status codes\"", "see §1",
        "the rule (`rules.md` §1). It is (§3) known",
    ])
    func `what is not there is found`(comment: String) {
        #expect(Self.findings(comment).count == 1)
    }

    @Test func `a document cites its own sections by number`() {
        #expect(Self.findings("As §2.1 says", path: "docs/rules.md") == [])
        #expect(Self.findings("As §2.2 says", path: "docs/rules.md").count == 1)
        #expect(Self.findings("-- A row (`rules.md`\n-- §9).", path: "migrations/0001_a.sql").count == 1)
    }

    @Test func `a finding names the line that its paragraph begins on`() {
        let text = "let a = 1\n\n// One.\n// Two (`rules.md`\n// §9).\n"
        let found = Citations(into: Self.documents).findings(in: TextFile(path: "A.swift", text: text))
        #expect(found == ["A.swift:3: docs/rules.md has no §9"])
    }

    @Test func `a link that leads nowhere is found`() {
        let citations = Citations(into: Self.documents)
        let paths = Set(Self.documents.map(\.path))
        func broken(_ text: String) -> Int {
            citations.brokenLinks(in: TextFile(path: "docs/rules.md", text: text), of: paths).count
        }
        #expect(broken("[a](../api.md) [b](rules.md#21-ends) [c](#the-rule) [d](https://example.com/x)") == 1)
        #expect(broken("[a](../api.md) [b](rules.md#21-ends) [c](#1-facts)") == 0)
        #expect(broken("[a](api.md)") == 1)
    }
}
