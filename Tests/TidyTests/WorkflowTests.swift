import Testing

/// The workflows that GitHub runs name what there is, and run nothing that others may change.
@Suite struct WorkflowTests {
    private static let folder = ".github/workflows/"

    /// The lines that use an action without its commit, the image of another Swift, or a verb that the Makefile lacks,
    /// and those that put an expression into a script, where a name that a stranger chose would be run.
    private func findings(in text: String) throws -> [String] {
        let swift = try SourceTree.file(".swift-version").text.split(separator: "\n")[0]
        let verbs = Set(try SourceTree.file("Makefile").lines.compactMap { $0.split(separator: ":").first })
        let action = #/uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+/#
        return text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "-" } }.filter { line in
            guard !line.hasPrefix("#") else { return false }
            if line.hasPrefix("uses: ./") { return SourceTree.optionalText(String(line.dropFirst(8))) == nil }
            if line.hasPrefix("uses: ") { return line.wholeMatch(of: action) == nil }
            if line.hasPrefix("image: ") { return line != "image: swift:\(swift)-bookworm" }
            if line.contains("${{") { return line.prefixMatch(of: #/(?!run:)[\w-]+: /#) == nil }
            guard let command = line.firstMatch(of: #/^(run: )?make (.*)/#)?.2 else { return false }
            return !verbs.isSuperset(of: command.split(separator: " ").filter { !$0.hasPrefix("-") })
        }.map(String.init)
    }

    @Test func `workflows use what there is, and may do nothing that a job does not name`() throws {
        let files = SourceTree.files(in: ".github")
        #expect(files.map(\.path) == ["check", "release"].map { Self.folder + $0 + ".yaml" })
        for file in files {
            #expect(try findings(in: file.text) == [], "\(file.path)")
            #expect(file.lines.contains("permissions: {}"), "\(file.path)")
        }
    }

    @Test func `a release is built with the packages that the Dockerfile installs`() throws {
        let installed = try ["Dockerfile", Self.folder + "release.yaml"].map { path in
            let line = try SourceTree.file(path).lines.first { $0.contains("--no-install-recommends ") }
            return Set(try #require(line).split(separator: " ").drop { $0 != "--no-install-recommends" })
        }
        #expect(installed[0].count > 3 && installed[0].isSubset(of: installed[1]))
    }

    @Test(arguments: [
        ("uses: actions/checkout@\(commit) # v7.0.1", "uses: actions/checkout@v7"),
        ("- uses: actions/checkout@\(commit) # v7.0.1", "- uses: actions/checkout@\(commit.dropLast()) # v7.0.1"),
        ("uses: ./.github/workflows/check.yaml", "uses: ./.github/workflows/checks.yaml"),
        ("tags: ${{ github.ref_name }}", "echo ${{ github.ref_name }}"),
        ("- name: ${{ github.ref_name }}", "- run: echo ${{ github.ref_name }}"),
        ("make -o setup dist", "make -o setup dists"), ("- run: make check", "- run: make checks"),
        ("# image: swift:latest", "image: swift:latest"),
    ])
    func `a line of a workflow that others may change, or that names nothing, is found`(right: String, wrong: String)
        throws
    {
        #expect(try findings(in: right) == [])
        #expect(try findings(in: wrong).count == 1)
    }

    private static let commit = String(repeating: "a0", count: 20)
}
