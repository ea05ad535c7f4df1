import Testing

/// What the documents tell an app's developer to paste is what the tests run.
@Suite struct ReadmeSnippetTests {
    @Test func `the reader of offline tokens in the documents is the one that is tested`() throws {
        let file = try SourceTree.file("Tests/GatepassTests/EndToEnd/Tokens/OfflineEntitlement.swift").text
        let code = try #require(file.split(separator: "import Foundation\n", maxSplits: 1).last)
        let snippet = "```swift\nimport CryptoKit\nimport Foundation\n" + code + "```\n"
        #expect(try SourceTree.file("docs/app.md").text.contains(snippet))
    }

    /// The blocks of a document that are neither run, nor an answer, nor say why they are not run, by their first line.
    private func unsaidBlocks(in text: String) -> [String] {
        var (isOpen, last, found) = (false, "", [String]())
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map({ $0.drop { $0 == " " } }) {
            if line.hasPrefix("```") {
                isOpen.toggle()
                let isRun = ["```console", "```sh", "```json"].contains { line == $0 }
                if isOpen, !isRun, !last.hasPrefix("<!-- not run: ") { found.append(String(line)) }
            }
            if !line.isEmpty { last = String(line) }
        }
        return found
    }

    @Test(arguments: ["README.md", "docs/development.md"])
    func `every block is run, or the answer of one, or says why it is not run`(path: String) throws {
        #expect(unsaidBlocks(in: try SourceTree.file(path).text) == [])
    }

    @Test func `a block that is not run is found`() {
        #expect(unsaidBlocks(in: "a\n```yaml\nb\n```\n  ```swift\n  ```") == ["```yaml", "```swift"])
        #expect(unsaidBlocks(in: "<!-- not run: why -->\n```yaml\nb\n```\n\n```sh\n```") == [])
    }

    @Test func `the README is read in one go`() throws {
        #expect(try SourceTree.file("README.md").lineCount <= 250)
        #expect(try SourceTree.file("README.md").text.contains("](docs/pictures/lane.svg)"))
        let picture = try SourceTree.file("docs/pictures/lane.svg").text
        #expect(picture.contains("@media (prefers-color-scheme: dark)") && !picture.contains("<script"))
    }
}
