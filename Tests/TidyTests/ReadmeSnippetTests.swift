import Testing

/// What the documents tell an app's developer to paste is what the tests run.
@Suite struct ReadmeSnippetTests {
    @Test func `the reader of offline tokens in the documents is the one that is tested`() throws {
        let file = try SourceTree.file("Tests/GatepassTests/EndToEnd/Tokens/OfflineEntitlement.swift").text
        let code = try #require(file.split(separator: "import Foundation\n", maxSplits: 1).last)
        let snippet = "```swift\nimport CryptoKit\nimport Foundation\n" + code + "```\n"
        #expect(try SourceTree.file("docs/app.md").text.contains(snippet))
    }

    /// The pages whose blocks `EndToEnd/Readme` and `EndToEnd/Support` run.
    private static let runPages = [
        "README.md", "docs/app-store-connect.md", "docs/config-zh.md", "docs/development.md",
        "docs/integration-for-agents.md", "docs/plans-and-devices.md", "docs/refunds.md", "docs/stripe-setup.md",
        "docs/support.md", "docs/troubleshooting.md", "docs/your-app.md",
    ]

    /// The blocks of a document that are neither run, nor an answer, nor say why they are not run, by their first line.
    /// A block without a language is a drawing or a formula.
    private func unsaidBlocks(in text: String, areRun: Bool = true) -> [String] {
        var (isOpen, last, found) = (false, "", [String]())
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map({ $0.drop { $0 == " " } }) {
            if line.hasPrefix("```") {
                isOpen.toggle()
                let isRun = areRun && ["```console", "```sh", "```json"].contains { line == $0 }
                let isSaid = line == "```" || last.hasPrefix("<!-- not run: ")
                if isOpen, !isRun, !isSaid { found.append(String(line)) }
            }
            if !line.isEmpty { last = String(line) }
        }
        return found
    }

    @Test func `every block is run, or the answer of one, or says why it is not run`() throws {
        let tests = try SourceTree.file("Tests/GatepassTests/EndToEnd/Operators/EndToEndReadmeTests.swift").text
        for path in Self.runPages where path != "docs/support.md" { #expect(tests.contains("\"\(path)\""), "\(path)") }
        for page in [try SourceTree.file("README.md")] + SourceTree.files(in: "docs", suffix: ".md")
        where !page.path.hasPrefix("docs/decisions/") {
            let unsaid = unsaidBlocks(in: page.text, areRun: Self.runPages.contains(page.path))
            #expect(unsaid == [], "\(page.path)")
        }
    }

    @Test func `a block that is not run is found`() {
        #expect(unsaidBlocks(in: "a\n```yaml\nb\n```\n  ```swift\n  ```") == ["```yaml", "```swift"])
        #expect(unsaidBlocks(in: "```sh\n```\n", areRun: false) == ["```sh"])
        #expect(unsaidBlocks(in: "<!-- not run: why -->\n```yaml\nb\n```\n\n```sh\n```") == [])
    }

    @Test func `the README is read in one go`() throws {
        #expect(try SourceTree.file("README.md").lineCount <= 250)
        #expect(try SourceTree.file("README.md").text.contains("](docs/pictures/lane.svg)"))
        let picture = try SourceTree.file("docs/pictures/lane.svg").text
        #expect(picture.contains("@media (prefers-color-scheme: dark)") && !picture.contains("<script"))
    }
}
