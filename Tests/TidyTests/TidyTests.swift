import Testing

/// What a reviewer should not have to say. Each check is also shown something that it must find.
@Suite struct TidyTests {
    private func sample(_ text: String, in module: String = "AppStore") -> TextFile {
        TextFile(path: "Sources/\(module)/Sample.swift", text: text)
    }

    @Test func theTreeIsThere() {
        #expect(SourceTree.sources.count > 100)
        #expect(SourceTree.tests.contains { $0.path == "Tests/TidyTests/TidyTests.swift" })
    }

    // MARK: Walls

    @Test func modulesImportWhatTheyMay() {
        #expect(SourceTree.sources.flatMap(Imports.findings) == [])
    }

    @Test(arguments: [
        ("Entitlements", "import Foundation"), ("AppStore", "package import struct Foundation.Date"),
        ("LedgerStore", "@preconcurrency import Hummingbird"), ("MariaDB", "import Entitlements"),
        ("Attic", "let a = 1"),
    ])
    func aForbiddenImportIsFound(module: String, text: String) {
        #expect(Imports.findings(in: sample(text, in: module)).count == 1)
    }

    @Test func sqlStaysInItsModules() {
        #expect(SourceTree.sources.flatMap(SQL.findings) == [])
    }

    @Test(arguments: [
        "let a = \"SELECT 1\"", "let a = \"\"\"\n    select id from users\n    \"\"\"",
        "run(\"INSERT INTO t VALUES (?)\")",
        "run(\"CREATE DATABASE \\(name)\")",
    ])
    func sqlElsewhereIsFound(text: String) {
        #expect(SQL.findings(in: sample(text, in: "Gatepass")).count == 1)
        #expect(SQL.findings(in: sample(text, in: "LedgerStore")) == [])
    }

    @Test func proseIsNoSQL() {
        #expect(SQL.findings(in: sample("let a = \"Select one from the list\"", in: "Gatepass")).count == 1)
        #expect(SQL.findings(in: sample("let a = \"update the app\" // SELECT 1", in: "Gatepass")) == [])
    }

    @Test func clockRandomnessAndEnvironmentAreHandedIn() {
        #expect(SourceTree.sources.flatMap(Surroundings.findings) == [])
    }

    @Test(arguments: [
        "let now = Date()", "let now = Date.now", "let a = \"\\(Date())\"", "let t = ContinuousClock.now", "UUID()",
        "Int.random(in: 0..<1)", "ProcessInfo.processInfo", "try await Task.sleep(for: a)", "Task.detached {}",
        "fatalError()", "try! f()", "a as! B", "a!", "a[0]!.b", "f()!", "final class A: @unchecked Sendable {}",
        "P256.Signing.PrivateKey()", "print(a)",
    ])
    func whatReadsOrBreaksIsFound(text: String) {
        #expect(Surroundings.findings(in: sample(text)).count == 1)
    }

    @Test(arguments: [
        "// Date()", "if !a {}", "a != b", "return !(b)", "\"a!\"", "Date(daysSinceEpoch: 1)", "f(!a)", "[!a]",
        "try !a",
    ])
    func whatIsHarmlessIsNotFound(text: String) {
        #expect(Surroundings.findings(in: sample(text)) == [])
    }

    @Test func `what is awaited has a name before it stands in a tuple`() {
        #expect(SourceTree.sources.flatMap(Tuples.findings) == [])
    }

    @Test(arguments: [
        "return (place, .success(try await work()))", "{ (place, try await work()) }",
        "let (a, b) = (try await f(), 1)",
    ])
    func aTupleAroundAnAwaitIsFound(text: String) {
        #expect(Tuples.findings(in: sample(text)).count == 1)
    }

    @Test(arguments: [
        "f(place, try await work())", "return (place, outcome)", "return .success(try await work(1, 2))",
        "if (try await work(1, 2)) {}", "func f() -> (Int, Int) { try await work() }",
    ])
    func whatIsNoTupleAroundAnAwaitIsNotFound(text: String) {
        #expect(Tuples.findings(in: sample(text)) == [])
    }

    // MARK: Comments

    @Test func everyTypeAndThrowingFunctionSaysWhatItIs() {
        #expect(SourceTree.sources.flatMap(DocComments.findings) == [])
    }

    @Test(arguments: [
        "struct A {}", "/// A.\nstruct A {\n    enum B {}\n}", "// No doc comment.\nfinal class A {}",
        "package func f() throws {}", "init(\n    a: Int,\n    b: (Int) throws -> Int\n) async throws(E) {",
        "@main\nenum A {}",
        "static func f<A>(_ a: A) throws(E) -> Int { 1 }",
    ])
    func whatHasNoDocCommentIsFound(text: String) {
        #expect(DocComments.findings(in: sample(text)).count == 1)
    }

    @Test(arguments: [
        "/// A.\nstruct A {}", "/// A.\n@main\nstruct A {}", "private func f() throws {}",
        "func f(a: () throws -> Int) {}",
        "let a: any Error.Type", "class func f() {}", "extension A {}", "self.init()",
    ])
    func whatNeedsNoDocCommentIsNotFound(text: String) {
        #expect(DocComments.findings(in: sample(text)) == [])
    }

    @Test func nothingIsPutOff() {
        let words = ["TO" + "DO", "FIX" + "ME", "HA" + "CK:"]
        let found = (SourceTree.sources + SourceTree.tests).flatMap { file in
            words.filter(file.text.contains).map { "\(file.path): \($0)" }
        }
        #expect(found == [])
    }

    // MARK: Files

    @Test func filesAreShort() throws {
        let long = (SourceTree.sources + SourceTree.tests).filter { $0.lineCount > 400 }.map(\.path)
        #expect(long == [])
        #expect(try SourceTree.file("ARCHITECTURE.md").lineCount <= 200)
        #expect(TextFile(path: "a", text: "a\nb\n").lineCount == 2)
    }

    @Test func noPathOfAMachineStandsAnywhere() {
        let paths = ["/wo" + "rk/", "/Us" + "ers/", "-pro" + "to/"]
        let found = SourceTree.files(in: "").flatMap { file in
            paths.filter(file.text.contains).map { "\(file.path): \($0)" }
        }
        #expect(found == [])
    }

    @Test func testsAreAtLeastAsLongAsSources() {
        let tests = SourceTree.tests.reduce(0) { $0 + $1.lineCount }
        let sources = SourceTree.sources.reduce(0) { $0 + $1.lineCount }
        let hundredths = tests * 100 / max(1, sources)
        print("tests: \(tests) lines, sources: \(sources) lines, ratio 0.\(hundredths < 10 ? "0" : "")\(hundredths)")
        #expect(tests > 0 && sources > 0)
    }

    // MARK: Migrations

    @Test func migrationsCountAndCanBeRunAgain() {
        let files = SourceTree.files(in: "migrations")
        #expect(files.count > 0)
        #expect(Migrations.findings(in: files) == [])
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
    func aFaultyMigrationIsFound(name: String, sql: String) {
        #expect(Migrations.findings(in: [TextFile(path: "migrations/" + name, text: sql)]).count == 1)
    }
}
