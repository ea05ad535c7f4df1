import Testing

/// The checks are worth what the lexer is worth.
@Suite struct SwiftTokensTests {
    private func code(_ text: String) -> [String] {
        SwiftTokens.code(of: text).map { $0.kind == .string ? "'\($0.text)'" : $0.text }
    }

    @Test func `comments are no code`() {
        #expect(code("a // b\nc /* d /* e */ f */ g") == ["a", "c", "g"])
        #expect(code("a /* try! */ \"// no comment\"") == ["a", "'// no comment'"])
    }

    @Test func `strings are one piece, and their interpolations are code`() {
        #expect(code(#"x("a\(now(Date()))b")"#) == ["x", "(", "'a b'", "now", "(", "Date", "(", ")", ")", ")"])
        #expect(code(##"#"a\(b) "c" \#(d)"#"##) == [#"'a\(b) "c"  '"#, "d"])
        #expect(code(#""a\"b" c"#) == [#"'a"b'"#, "c"])
        #expect(code("\"\"\"\n \"quoted\"\n\"\"\" z") == ["'\n \"quoted\"\n'", "z"])
    }

    @Test func `lines and gaps are known`() {
        let tokens = SwiftTokens.of("let a = b!\n  .c\n/* x\n*/ d")
        #expect(tokens.map(\.line) == [1, 1, 1, 1, 1, 2, 2, 3, 4])
        #expect(tokens.map(\.isGlued) == [false, false, false, false, true, false, true, false, false])
        #expect(tokens.filter(\.isFirst).map(\.text) == ["let", ".", "/* x\n*/"])
    }

    @Test func `sequences are found outside of strings`() {
        #expect(SwiftTokens.code(of: #"Task.sleep "Task" . sleep"#).indexes(of: ["Task", ".", "sleep"]) == [0])
    }
}
