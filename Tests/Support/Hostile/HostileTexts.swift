/// Texts that try to become markup where a page shows them (`threats.md` T30).
package enum HostileTexts {
    private static let cores: [String] = [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "' onmouseover='x",
        "</title><script>x</script>", "</textarea><b>", "--><i>", "<!--", "]]>", "<\u{338}script>", "&lt;b&gt;",
        "&#60;b&#62;", "javascript:alert(1)", "{name}", "{tier", "}{", "%3Cb%3E", "\u{202E}olleh", "=1+1", "\\\"x",
        "<a href=//evil.example>", "`x`", "<b\tid=x>", "</p></main></body>", "\u{FEFF}<b>",
    ]

    /// 200 different texts.
    package static let all: [String] = cores.flatMap(variants)

    private static func variants(of core: String) -> [String] {
        let reversed = String(core.reversed())
        let marked: String = core + "\u{301}"
        let doubled: String = core + core
        return [core, core.uppercased(), marked, "a" + core, doubled, " \(core) z", "é" + core, reversed]
    }
}
