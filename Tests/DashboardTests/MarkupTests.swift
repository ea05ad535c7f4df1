import Support
import Testing

@testable import Dashboard

/// Markup is well-formed by its type, whatever texts it is made of (`threats.md` T30).
@Suite struct MarkupTests {
    /// The text as a browser shows it: controls and scalars that no document may have are U+FFFD.
    private static func shown(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isControl = scalar.value < 0x20 && scalar != "\t" && scalar != "\n"
                    return isControl || (0x7F...0x9F).contains(scalar.value) ? "\u{FFFD}" : scalar
                }))
    }

    private static func page(_ content: Markup) throws -> ParsedPage {
        try ParsedPage(Tag.html { Tag.body { content } }.document)
    }

    @Test func `200 hostile texts are texts, between tags and in attributes`() throws {
        #expect(Set(HostileTexts.all.map { Array($0.unicodeScalars) }).count >= 190)
        for text in HostileTexts.all + ["\u{0}", "\u{1}\u{7F}\u{85}", ""] {
            let page = try Self.page(Tag.p(.title(text), .class("x")) { text })
            let paragraphs = page.all("p")
            #expect(paragraphs.count == 1 && page.elements.count == 3, "\(text.debugDescription)")
            #expect(Array(paragraphs[0].text.unicodeScalars) == Array(Self.shown(text).unicodeScalars))
            #expect(
                Array((paragraphs[0].attributes["title"] ?? "").unicodeScalars)
                    == Array(Self.shown(text).unicodeScalars))
        }
    }

    @Test func `a mark that combines with a bracket hides nothing`() throws {
        for mark in ["\u{338}", "\u{301}", "\u{20DD}", "\u{FE0F}"] {
            let html = Tag.p { "<" + mark + "b>" }.document
            #expect(html.unicodeScalars.count { $0 == "<" } == 3, "\(html)")
        }
    }

    @Test func `a link stays on the dashboard, whatever its parts`() throws {
        for text in HostileTexts.all + [
            "..", ".", "//evil.example", "https://evil.example", "a/b", "", "ü", "a b", "#", "?",
        ] {
            let link = Link("users", text, query: [("at", text)], fragment: text).text
            #expect(link.hasPrefix("/dashboard/users/"))
            let path = link.prefix { $0 != "?" && $0 != "#" }.dropFirst("/dashboard/users/".count)
            #expect(!path.contains("/") && path != "." && path != "..", "\(link)")
            #expect(link.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect(!link.contains("\"") && !link.contains("<") && !link.contains(">"))
        }
    }

    @Test func `one returns only to a page of ours after the sign-in`() {
        for text in [
            "https://evil.example/dashboard", "//evil.example", "/", "/dashboardx", "/api/admin/users", "",
            "/dashboard/\r\nSet-Cookie: x", "/dashboard/ä", "/dashboard\\evil", "javascript:x",
        ] {
            #expect(Link(returningTo: text) == nil, "\(text)")
        }
        #expect(Link(returningTo: "/dashboard/users/u1?at=2026-01-01")?.text == "/dashboard/users/u1?at=2026-01-01")
        #expect(Link(returningTo: "/dashboard")?.text == "/dashboard")
    }

    @Test func `a form is read as browsers write it`() {
        let form = FormText("at=2026-11-04+07%3A10&q=a%2Bb+c&empty=&twice=1&twice=2&bare".utf8)
        #expect(form?["at"] == "2026-11-04 07:10")
        #expect(form?["q"] == "a+b c")
        #expect(form?["empty"] == "" && form?["twice"] == "" && form?["missing"] == "" && form?["bare"] == "")
        #expect(FormText("password=+a+".utf8)?.exact("password") == " a ")
        for malformed in ["a=%", "a=%1", "a=%zz", "a=%FF", "%E0=1"] {
            #expect(FormText(malformed.utf8) == nil, "\(malformed)")
        }
        #expect(FormText(String(repeating: "a=1&", count: 65).utf8) == nil)
    }

    @Test func `places in a picture are percentages to the thousandth`() {
        #expect(Length.percent(thousandths: 0).text == "0.000%")
        #expect(Length.percent(thousandths: 12_345).text == "12.345%")
        #expect(Length.percent(thousandths: 100_000).text == "100.000%")
        #expect(Length.percent(thousandths: -50).text == "-0.050%")
    }
}
