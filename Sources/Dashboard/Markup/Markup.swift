/// HTML and SVG that are well-formed by their type. Text becomes markup only through an initializer that escapes it by
/// scalar, so that no combining mark can hide a `<`. Raw markup cannot be written outside this file.
package struct Markup: Sendable {
    private var html: String

    private init(raw: String) { html = raw }

    /// No markup at all.
    package static let nothing = Markup(raw: "")

    /// The text of a page, escaped.
    package init(_ text: String) {
        html = ""
        Self.append(text, to: &html, inAttribute: false)
    }

    package init(_ parts: [Markup]) { html = parts.reduce(into: "") { $0 += $1.html } }

    package static func + (left: Markup, right: Markup) -> Markup { Markup(raw: left.html + right.html) }

    package var isEmpty: Bool { html.isEmpty }

    /// A whole document with this root element.
    package var document: String { "<!doctype html>\n" + html }

    fileprivate init(_ name: StaticString, _ attributes: [Attribute], _ content: Markup?) {
        html = "<\(name)"
        for attribute in attributes { attribute.append(to: &html) }
        html += ">"
        if let content { html += content.html + "</\(name)>" }
    }

    /// Appends `text` with everything escaped that could be read as markup. Controls and scalars that no document may
    /// have become U+FFFD.
    fileprivate static func append(_ text: String, to html: inout String, inAttribute: Bool) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"" where inAttribute: html += "&quot;"
            case "'" where inAttribute: html += "&#39;"
            case "\t", "\n": html.unicodeScalars.append(scalar)
            default: html.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: false
        default: scalar.value & 0xFFFE != 0xFFFE
        }
    }
}

/// An attribute, whose value is escaped. There is none for styles, and none for scripts.
package struct Attribute: Sendable {
    private let name: StaticString
    /// The value; nil for an attribute that is only there.
    private let value: String?

    private init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value
    }

    fileprivate func append(to html: inout String) {
        html += " \(name)"
        guard let value else { return }
        html += "=\""
        Markup.append(value, to: &html, inAttribute: true)
        html += "\""
    }

    // MARK: HTML

    package static func `class`(_ value: String) -> Attribute { Attribute("class", value) }
    package static func id(_ value: String) -> Attribute { Attribute("id", value) }
    package static func lang(_ value: String) -> Attribute { Attribute("lang", value) }
    package static func theme(_ value: String) -> Attribute { Attribute("data-theme", value) }
    package static func label(_ value: String) -> Attribute { Attribute("data-l", value) }
    package static func title(_ value: String) -> Attribute { Attribute("title", value) }
    package static func role(_ value: String) -> Attribute { Attribute("role", value) }
    package static func scope(_ value: String) -> Attribute { Attribute("scope", value) }
    package static func ariaLabel(_ value: String) -> Attribute { Attribute("aria-label", value) }
    package static func labelled(by id: String) -> Attribute { Attribute("aria-labelledby", id) }
    package static func described(by id: String) -> Attribute { Attribute("aria-describedby", id) }
    package static let current = Attribute("aria-current", "page")
    package static let hidden = Attribute("aria-hidden", "true")
    package static let invalid = Attribute("aria-invalid", "true")
    package static func href(_ link: Link) -> Attribute { Attribute("href", link.text) }
    package static func datetime(_ value: String) -> Attribute { Attribute("datetime", value) }
    package static func colspan(_ value: Int) -> Attribute { Attribute("colspan", String(value)) }
    package static func name(_ value: String) -> Attribute { Attribute("name", value) }
    package static func value(_ value: String) -> Attribute { Attribute("value", value) }
    package static func type(_ value: String) -> Attribute { Attribute("type", value) }
    package static func action(_ link: Link) -> Attribute { Attribute("action", link.text) }
    package static func method(_ value: String) -> Attribute { Attribute("method", value) }
    package static func `for`(_ id: String) -> Attribute { Attribute("for", id) }
    package static func placeholder(_ value: String) -> Attribute { Attribute("placeholder", value) }
    package static func autocomplete(_ value: String) -> Attribute { Attribute("autocomplete", value) }
    package static func maxlength(_ value: Int) -> Attribute { Attribute("maxlength", String(value)) }
    package static func minlength(_ value: Int) -> Attribute { Attribute("minlength", String(value)) }
    package static func rows(_ value: Int) -> Attribute { Attribute("rows", String(value)) }
    package static func inputMode(_ value: String) -> Attribute { Attribute("inputmode", value) }
    package static let required = Attribute("required", nil)
    package static let readOnly = Attribute("readonly", nil)
    package static let selected = Attribute("selected", nil)
    package static let checked = Attribute("checked", nil)
    package static let focusable = Attribute("tabindex", "0")
    package static let focusFirst = Attribute("autofocus", nil)
    package static let plainText = Attribute("spellcheck", "false")
    package static let charset = Attribute("charset", "utf-8")
    package static func content(_ value: String) -> Attribute { Attribute("content", value) }
    package static func rel(_ value: String) -> Attribute { Attribute("rel", value) }

    // MARK: SVG

    package static func x(_ value: Length) -> Attribute { Attribute("x", value.text) }
    package static func y(_ value: Length) -> Attribute { Attribute("y", value.text) }
    package static func x1(_ value: Length) -> Attribute { Attribute("x1", value.text) }
    package static func x2(_ value: Length) -> Attribute { Attribute("x2", value.text) }
    package static func y1(_ value: Length) -> Attribute { Attribute("y1", value.text) }
    package static func y2(_ value: Length) -> Attribute { Attribute("y2", value.text) }
    package static func cx(_ value: Length) -> Attribute { Attribute("cx", value.text) }
    package static func cy(_ value: Length) -> Attribute { Attribute("cy", value.text) }
    package static func r(_ value: Length) -> Attribute { Attribute("r", value.text) }
    package static func rx(_ value: Length) -> Attribute { Attribute("rx", value.text) }
    package static func width(_ value: Length) -> Attribute { Attribute("width", value.text) }
    package static func height(_ value: Length) -> Attribute { Attribute("height", value.text) }
    package static func dx(_ value: Length) -> Attribute { Attribute("dx", value.text) }
    package static func anchor(_ value: String) -> Attribute { Attribute("text-anchor", value) }
    package static func d(_ value: String) -> Attribute { Attribute("d", value) }
    package static func fill(_ value: String) -> Attribute { Attribute("fill", value) }
    package static func dashes(_ value: String) -> Attribute { Attribute("stroke-dasharray", value) }
    package static func viewBox(_ value: String) -> Attribute { Attribute("viewBox", value) }
    package static func transform(_ value: String) -> Attribute { Attribute("transform", value) }
    package static func patternTransform(_ value: String) -> Attribute { Attribute("patternTransform", value) }
    package static let userSpace = Attribute("patternUnits", "userSpaceOnUse")
    package static let noFocus = Attribute("focusable", "false")
}

/// A length in a picture: of the whole width in thousandths of a percent, or in pixels.
package enum Length: Sendable {
    case percent(thousandths: Int)
    case px(Int)

    var text: String {
        switch self {
        case .px(let pixels): return String(pixels)
        case .percent(let thousandths):
            let (whole, rest) = abs(thousandths).quotientAndRemainder(dividingBy: 1_000)
            let digits = String(String(1_000 + rest).dropFirst())
            return (thousandths < 0 ? "-" : "") + "\(whole).\(digits)%"
        }
    }
}

/// An element's name. Calling it makes the element.
package struct Tag: Sendable {
    private let name: StaticString
    /// False for an element that has no content and no end tag.
    private let hasContent: Bool

    private init(_ name: StaticString, hasContent: Bool = true) {
        self.name = name
        self.hasContent = hasContent
    }

    package func callAsFunction(_ attributes: Attribute...) -> Markup {
        Markup(name, attributes, hasContent ? .nothing : nil)
    }

    package func callAsFunction(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        Markup(name, attributes, hasContent ? content() : nil)
    }

    package func callAsFunction(all attributes: [Attribute], @MarkupBuilder content: () -> Markup) -> Markup {
        Markup(name, attributes, hasContent ? content() : nil)
    }

    package static let html = Tag("html"), head = Tag("head"), title = Tag("title"), body = Tag("body")
    package static let meta = Tag("meta", hasContent: false), link = Tag("link", hasContent: false)
    package static let header = Tag("header"), nav = Tag("nav"), main = Tag("main"), footer = Tag("footer")
    package static let section = Tag("section"), aside = Tag("aside"), div = Tag("div"), span = Tag("span")
    package static let h1 = Tag("h1"), h2 = Tag("h2"), h3 = Tag("h3"), p = Tag("p"), a = Tag("a")
    package static let ul = Tag("ul"), ol = Tag("ol"), li = Tag("li")
    package static let dl = Tag("dl"), dt = Tag("dt"), dd = Tag("dd")
    package static let strong = Tag("strong"), small = Tag("small"), code = Tag("code"), bdi = Tag("bdi")
    package static let time = Tag("time"), br = Tag("br", hasContent: false)
    package static let table = Tag("table"), thead = Tag("thead"), tbody = Tag("tbody"), tr = Tag("tr")
    package static let th = Tag("th"), td = Tag("td"), caption = Tag("caption")
    package static let figure = Tag("figure"), figcaption = Tag("figcaption")
    package static let details = Tag("details"), summary = Tag("summary")
    package static let form = Tag("form"), label = Tag("label"), button = Tag("button")
    package static let input = Tag("input", hasContent: false), textarea = Tag("textarea")
    package static let select = Tag("select"), option = Tag("option"), pre = Tag("pre")
    package static let fieldset = Tag("fieldset"), legend = Tag("legend")

    package static let svg = Tag("svg"), g = Tag("g"), defs = Tag("defs"), pattern = Tag("pattern")
    package static let rect = Tag("rect"), line = Tag("line"), circle = Tag("circle"), path = Tag("path")
    package static let text = Tag("text")
}

/// Joins the parts of an element; a text among them is escaped.
@resultBuilder package enum MarkupBuilder {
    package static func buildExpression(_ markup: Markup) -> Markup { markup }
    package static func buildExpression(_ markup: Markup?) -> Markup { markup ?? .nothing }
    package static func buildExpression(_ text: String) -> Markup { Markup(text) }
    package static func buildExpression(_ parts: [Markup]) -> Markup { Markup(parts) }
    package static func buildBlock(_ parts: Markup...) -> Markup { Markup(parts) }
    package static func buildOptional(_ part: Markup?) -> Markup { part ?? .nothing }
    package static func buildEither(first part: Markup) -> Markup { part }
    package static func buildEither(second part: Markup) -> Markup { part }
    package static func buildArray(_ parts: [Markup]) -> Markup { Markup(parts) }
}
