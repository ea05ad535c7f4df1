import Entitlements
import NIOHTTP1
import Support
import Testing

@testable import EntitlementAPI

/// A walk of a browser through the pages of one act: form, preview, confirmation.
struct ActWalk {
    let browser: Browser
    /// The path of the form, without a query.
    let path: String

    init(_ browser: Browser, _ act: String, on user: String = "u1") {
        self.browser = browser
        path = "/dashboard/users/\(user)/acts/\(act)"
    }

    /// A form as a page shows it: its path, and the fields that it holds already.
    struct Form {
        let action: String
        var fields: [String: String]
    }

    /// The form with this action on a page; nil if there is none.
    static func form(_ action: String, in page: ParsedPage) -> Form? {
        guard
            let start = page.elements.firstIndex(where: {
                $0.name == "form" && $0.attributes["action"] == action && $0.attributes["method"] == "post"
            })
        else { return nil }
        var form = Form(action: action, fields: [:])
        let inside = page.elements[(start + 1)...].prefix { $0.name != "form" }
        var list: String?
        for element in inside {
            switch element.name {
            case "input":
                let isChosen = element.attributes["type"] != "radio" || element.attributes["checked"] != nil
                if isChosen, let name = element.attributes["name"] {
                    form.fields[name] = element.attributes["value"] ?? ""
                }
            case "select": list = element.attributes["name"]
            case "option":
                if let list, form.fields[list] == nil || element.attributes["selected"] != nil {
                    form.fields[list] = element.attributes["value"] ?? ""
                }
            default: break
            }
        }
        return form
    }

    /// Fetches the form, types `fields` into it and sends it. Throws when no whole answer came.
    func preview(_ fields: [String: String]) async throws -> TestServer.Answer {
        let shown = try await browser.get(path)
        #expect(shown.status == 200, "\(path): \(shown.status)")
        var form = try #require(Self.form(path, in: try ParsedPage(shown.body)))
        form.fields.merge(fields) { _, typed in typed }
        return try await browser.submit(path, form.fields, token: form.fields["form_token"] ?? "")
    }

    /// The form that carries the act out, on the page of a preview. Throws if the page has none.
    func confirmation(in preview: TestServer.Answer) throws -> Form {
        try #require(
            Self.form(path + "/confirm", in: try ParsedPage(preview.body)),
            "\(preview.status) \(preview.body.suffix(4_000))")
    }

    /// Sends the form that carries the act out. Throws when no whole answer came.
    func confirm(_ form: Form) async throws -> TestServer.Answer {
        try await browser.submit(form.action, form.fields, token: form.fields["form_token"] ?? "")
    }

    /// Walks from the form to the end. The answer leads back to the person, whose page says what was done; the result
    /// is that page. Throws when no whole answer came.
    @discardableResult
    func act(_ fields: [String: String]) async throws -> ParsedPage {
        let previewed = try await preview(fields)
        #expect(previewed.status == 200, "\(path): \(previewed.status)")
        let done = try await confirm(try confirmation(in: previewed))
        #expect(done.status == 303, "\(path): \(done.status)")
        let place = done.headers["location"].first ?? ""
        let page = try ParsedPage(try await browser.get(place).body)
        #expect(page.text.contains("Done."), "\(path): \(place)")
        return page
    }
}
