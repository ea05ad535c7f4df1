import Testing

/// What a reviewer should not have to say. Each check is also shown something that it must find.
@Suite struct TidyTests {
    private func sample(_ text: String, in module: String = "AppStore") -> TextFile {
        TextFile(path: "Sources/\(module)/Sample.swift", text: text)
    }

    @Test func `the tree is there`() {
        #expect(SourceTree.sources.count > 100)
        #expect(SourceTree.tests.contains { $0.path == "Tests/TidyTests/TidyTests.swift" })
        #expect(SourceTree.client.contains { $0.path == "client/Sources/GatepassClient/Gatepass.swift" })
    }

    // MARK: Walls

    @Test func `modules import only what they may`() {
        #expect(SourceTree.sources.flatMap(Imports.findings) == [])
    }

    @Test(arguments: [
        ("Entitlements", "import Foundation"), ("AppStore", "package import struct Foundation.Date"),
        ("LedgerStore", "@preconcurrency import Hummingbird"), ("MariaDB", "import Entitlements"),
        ("Attic", "let a = 1"),
    ])
    func `a forbidden import is found`(module: String, text: String) {
        #expect(Imports.findings(in: sample(text, in: module)).count == 1)
    }

    @Test func `the package for apps needs systems' modules and swift-crypto alone`() {
        let allowed: Set = [
            "AppKit", "Crypto", "CryptoKit", "Foundation", "FoundationNetworking", "GatepassClient", "Observation",
            "PackageDescription", "Security", "StoreKit", "SwiftUI", "Testing", "UIKit",
        ]
        let imported = Set(SourceTree.client.flatMap { Imports.modules(in: $0.text).map(\.name) })
        #expect(imported.subtracting(allowed) == [])
    }

    @Test func `SQL stays in its modules`() {
        #expect(SourceTree.sources.flatMap(SQL.findings) == [])
    }

    @Test(arguments: [
        "let a = \"SELECT 1\"", "let a = \"\"\"\n    select id from users\n    \"\"\"",
        "run(\"INSERT INTO t VALUES (?)\")",
        "run(\"CREATE DATABASE \\(name)\")",
    ])
    func `SQL elsewhere is found`(text: String) {
        #expect(SQL.findings(in: sample(text, in: "Gatepass")).count == 1)
        #expect(SQL.findings(in: sample(text, in: "LedgerStore")) == [])
    }

    @Test func `prose is no SQL`() {
        #expect(SQL.findings(in: sample("let a = \"Select one from the list\"", in: "Gatepass")).count == 1)
        #expect(SQL.findings(in: sample("let a = \"update the app\" // SELECT 1", in: "Gatepass")) == [])
    }

    @Test func `each statement that locks by reading says by what the rows are written`() {
        let files = SourceTree.sources.filter { $0.module == "Sources/LedgerStore" }
        #expect(files.flatMap { Locks.findings(in: $0, writing: files) } == [])
    }

    @Test(arguments: [
        "/// Locks. Written by: `touch a`.\nstatic let a = S(\n    \"lock a\", \"SELECT 1 FROM a FOR UPDATE\")",
        "/// Locks.\nstatic let a = S(\"lock a\", \"SELECT 1 FROM a LOCK IN SHARE MODE\")",
        "static let a = S(\"lock a\", b + \"\\nFOR UPDATE\")",
    ])
    func `a lock without its write is found`(text: String) {
        #expect(Locks.findings(in: sample(text, in: "LedgerStore"), writing: []).count == 1)
        let write = sample("static let t = S(\n    \"touch a\", \"UPDATE a SET b = 1\")", in: "LedgerStore")
        let findings = Locks.findings(in: sample(text, in: "LedgerStore"), writing: [write])
        #expect(findings.isEmpty == text.contains("Written by"))
    }

    @Test func `clock, randomness and environment are handed in`() {
        #expect(SourceTree.sources.flatMap(Surroundings.findings) == [])
    }

    @Test(arguments: [
        "let now = Date()", "let now = Date.now", "let a = \"\\(Date())\"", "let t = ContinuousClock.now", "UUID()",
        "Int.random(in: 0..<1)", "ProcessInfo.processInfo", "try await Task.sleep(for: a)", "Task.detached {}",
        "fatalError()", "try! f()", "a as! B", "a!", "a[0]!.b", "f()!", "final class A: @unchecked Sendable {}",
        "P256.Signing.PrivateKey()", "print(a)",
    ])
    func `what reads or breaks is found`(text: String) {
        #expect(Surroundings.findings(in: sample(text)).count == 1)
    }

    @Test(arguments: [
        "// Date()", "if !a {}", "a != b", "return !(b)", "\"a!\"", "Date(daysSinceEpoch: 1)", "f(!a)", "[!a]",
        "try !a",
    ])
    func `what is harmless is not found`(text: String) {
        #expect(Surroundings.findings(in: sample(text)) == [])
    }

    @Test func `what is awaited has a name before it stands in a tuple`() {
        #expect(SourceTree.sources.flatMap(Tuples.findings) == [])
    }

    @Test(arguments: [
        "return (place, .success(try await work()))", "{ (place, try await work()) }",
        "let (a, b) = (try await f(), 1)",
    ])
    func `a tuple around an await is found`(text: String) {
        #expect(Tuples.findings(in: sample(text)).count == 1)
    }

    @Test(arguments: [
        "f(place, try await work())", "return (place, outcome)", "return .success(try await work(1, 2))",
        "if (try await work(1, 2)) {}", "func f() -> (Int, Int) { try await work() }",
    ])
    func `what is no tuple around an await is not found`(text: String) {
        #expect(Tuples.findings(in: sample(text)) == [])
    }

    // MARK: Comments

    @Test func `every type and throwing function says what it is`() {
        #expect(SourceTree.sources.flatMap(DocComments.findings) == [])
    }

    @Test(arguments: [
        "struct A {}", "/// A.\nstruct A {\n    enum B {}\n}", "// No doc comment.\nfinal class A {}",
        "package func f() throws {}", "init(\n    a: Int,\n    b: (Int) throws -> Int\n) async throws(E) {",
        "@main\nenum A {}",
        "static func f<A>(_ a: A) throws(E) -> Int { 1 }",
    ])
    func `what has no doc comment is found`(text: String) {
        #expect(DocComments.findings(in: sample(text)).count == 1)
    }

    @Test(arguments: [
        "/// A.\nstruct A {}", "/// A.\n@main\nstruct A {}", "private func f() throws {}",
        "func f(a: () throws -> Int) {}",
        "let a: any Error.Type", "class func f() {}", "extension A {}", "self.init()",
    ])
    func `what needs no doc comment is not found`(text: String) {
        #expect(DocComments.findings(in: sample(text)) == [])
    }

    @Test func `comments begin with their nouns and have short sentences`() {
        #expect((SourceTree.sources + SourceTree.client).flatMap(CommentWords.findings) == [])
    }

    @Test(arguments: [
        "/// What is read.", "/// The ledger.\n///\n/// It grows.", "/// - Returns: Those that hold.",
        "/// - Parameters:\n///   - key: Of the purchase.", "// Whether it holds.", "/// The same, later.",
        "/// " + Array(repeating: "word", count: 41).joined(separator: " ") + ".",
    ])
    func `a comment without a noun, or of too many words, is found`(text: String) {
        #expect(CommentWords.findings(in: sample(text)).count == 1)
    }

    @Test(arguments: [
        "/// Official.", "/// The ledger,\n/// of which it tells.", "/// - Returns: The ledger.", "let a = \"// It\"",
        "/// The ledger:\n/// ```\n/// It\n/// ```",
        "/// " + Array(repeating: "word", count: 40).joined(separator: " ") + ". The end.",
    ])
    func `a comment that begins with its noun is not found`(text: String) {
        #expect(CommentWords.findings(in: sample(text)) == [])
    }

    @Test func `nothing is put off`() {
        let words = ["TO" + "DO", "FIX" + "ME", "HA" + "CK:"]
        let found = (SourceTree.sources + SourceTree.tests + SourceTree.client).flatMap { file in
            words.filter(file.text.contains).map { "\(file.path): \($0)" }
        }
        #expect(found == [])
    }

    // MARK: Files

    @Test func `files are short`() throws {
        let long = (SourceTree.sources + SourceTree.tests + SourceTree.client).filter { $0.lineCount > 400 }.map(\.path)
            .filter { !$0.hasPrefix("Sources/Dashboard/Words/Phrase+") }
        #expect(long == [])
        #expect(try SourceTree.file("ARCHITECTURE.md").lineCount <= 200)
        #expect(TextFile(path: "a", text: "a\nb\n").lineCount == 2)
    }

    @Test func `no path of a machine stands anywhere`() {
        let paths = ["/wo" + "rk/", "/Us" + "ers/", "-pro" + "to/"]
        let found = SourceTree.files(in: "").flatMap { file in
            paths.filter(file.text.contains).map { "\(file.path): \($0)" }
        }
        #expect(found == [])
    }

    @Test func `no line is longer than 120 characters`() {
        let files = SourceTree.files(in: "").filter { Layout.isBounded($0.path) }
        #expect(files.count > 500)
        #expect(files.flatMap(Layout.longLines) == [])
    }

    @Test func `a long line is found by its characters, not by its bytes`() {
        let (fitting, long) = (String(repeating: "é", count: 120), String(repeating: "e", count: 121))
        #expect(Layout.longLines(in: sample("\(fitting)\n// \(fitting)\n\(long)\n")).count == 2)
        #expect(Layout.longLines(in: sample(fitting)) == [])
    }

    @Test func `a long line of a document is found, but for tables and samples`() {
        let long = String(repeating: "e", count: 121)
        let text = "\(long)\n| \(long) |\n```json\n\(long)\n```\n\(long)\n"
        let found = Layout.longLines(in: TextFile(path: "a.md", text: text))
        #expect(found == ["a.md:1: 121 characters", "a.md:6: 121 characters"])
    }

    @Test func `no folder has more than twenty files`() {
        #expect(Layout.crowdedFolders(of: SourceTree.files(in: "Sources") + SourceTree.files(in: "Tests")) == [])
    }

    @Test func `a crowded folder is found, and what stands below it does not count`() {
        let files = (0..<20).map { TextFile(path: "Sources/A/\($0).swift", text: "") }
        #expect(Layout.crowdedFolders(of: files + [TextFile(path: "Sources/A/B/20.swift", text: "")]) == [])
        #expect(Layout.crowdedFolders(of: files + [TextFile(path: "Sources/A/20.swift", text: "")]).count == 1)
    }

    // MARK: Names of tests

    @Test func `every test is named by a sentence`() {
        #expect((SourceTree.tests + SourceTree.client).flatMap(TestNames.findings) == [])
    }

    @Test(arguments: ["@Test func aThingHolds() {}", "@Test(arguments: [1])\nfunc aThingHolds(number: Int) {}"])
    func `a test with a name of one word is found`(text: String) {
        #expect(TestNames.findings(in: sample(text)).count == 1)
    }

    @Test func `a test that is named beside its function is found`() {
        #expect(TestNames.findings(in: sample("@Test(\"a thing holds\") func `a thing holds`() {}")).count == 1)
        #expect(TestNames.findings(in: sample("@Test func `a thing holds`() {}\nfunc thing() {}")) == [])
    }

    // MARK: Migrations

    @Test func `migrations count and can be run again`() {
        let files = SourceTree.files(in: "migrations")
        #expect(files.count > 0)
        #expect(Migrations.findings(in: files) == [])
    }

    @Test func `every column of a user id has room for the longest one, as MariaDB cuts what is longer`() throws {
        let code = try SourceTree.file("Sources/Entitlements/Values/UserID.swift").text
        let longest = Migrations.numbers(after: "maximumLength = ", in: code)
        let files = SourceTree.files(in: "migrations") + SourceTree.sources + SourceTree.files(in: "scripts/bench")
        let widths = files.flatMap { Migrations.numbers(after: "user_id VARCHAR(", in: $0.text) }
        #expect(longest.count == 1 && widths.count > 3)
        #expect(Set(widths) == Set(longest))
        #expect(Migrations.numbers(after: "id VARCHAR(", in: "a_id VARCHAR(64), id VARCHAR(8)") == ["64", "8"])
    }

    @Test(arguments: [
        ("0002_create_users.sql", "CREATE TABLE IF NOT EXISTS a (PRIMARY KEY (b)) ENGINE = InnoDB;"),
        ("0001_users.sql", "CREATE TABLE IF NOT EXISTS a (PRIMARY KEY (b)) ENGINE = InnoDB;"),
        ("0001_create_users.sql", "CREATE TABLE a (PRIMARY KEY (b)) ENGINE = InnoDB;"),
        ("0001_create_users.sql", "CREATE TABLE IF NOT EXISTS a (b INT) ENGINE = InnoDB;"),
        ("0001_create_users.sql", "CREATE TABLE IF NOT EXISTS a (PRIMARY KEY (b)) ENGINE = Aria;"),
        ("0001_drop_users.sql", "DROP TABLE IF EXISTS a; DROP TABLE IF EXISTS b;"),
        ("0001_fill_users.sql", "INSERT INTO a SELECT * FROM b WHERE IF EXISTS"),
    ])
    func `a faulty migration is found`(name: String, sql: String) {
        #expect(Migrations.findings(in: [TextFile(path: "migrations/" + name, text: sql)]).count == 1)
    }
}
