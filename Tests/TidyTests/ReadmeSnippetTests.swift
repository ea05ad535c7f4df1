import Testing

/// What the README tells an app's developer to paste is what the tests run.
@Suite struct ReadmeSnippetTests {
    @Test func `the reader of offline tokens in the README is the one that is tested`() throws {
        let file = try SourceTree.file("Tests/GatepassTests/EndToEnd/Tokens/OfflineEntitlement.swift").text
        let code = try #require(file.split(separator: "import Foundation\n", maxSplits: 1).last)
        let snippet = "```swift\nimport CryptoKit\nimport Foundation\n" + code + "```\n"
        #expect(try SourceTree.file("README.md").text.contains(snippet))
    }
}
