import EntitlementAPI
import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore

/// `GET` and `POST /dashboard/link/{link}`: the one-time link by which a person sets a password. Looking at the page
/// does not use the link up, so no program that follows links can.
enum PasswordLinkPage {
    /// - Throws: `unavailable`.
    static func show(_ visit: Visit) async throws(Problem) -> Response {
        guard let link = link(in: visit), let member = try await member(link, visit) else { return over(visit) }
        return page(visit, member, refused: nil)
    }

    /// - Throws: `unavailable`.
    static func setPassword(_ visit: Visit, _ form: FormText) async throws(Problem) -> Response {
        guard let link = link(in: visit), let member = try await member(link, visit) else { return over(visit) }
        let password = form.exact("password")
        guard PasswordHash.lengths.contains(password.unicodeScalars.count) else {
            return page(visit, member, refused: .passwordLength)
        }
        guard password == form.exact("again") else { return page(visit, member, refused: .passwordDiffers) }
        let salt = Array(visit.dashboard.newToken().prefix(PasswordHash.saltBytes))
        let cost = visit.dashboard.passwordCost
        let (desk, uptime) = (visit.dashboard.desk, visit.call.uptime)
        let made = try await desk.serve(.setting, by: uptime) { () async throws(Problem) in
            await desk.hashed(in: .setting, by: uptime) {
                PasswordHash(of: password, salt: salt, cost: cost)?.text
            } ?? nil
        }
        guard let hash = made ?? nil else {
            return page(visit, member, refused: .signInBusy, status: .tooManyRequests)
        }
        let set = try await visit.call.served { try await $0.staff.set(password: hash, link: link) }
        return set == nil ? over(visit) : .redirected(to: Link("sign-in", query: [("done", "link")]))
    }

    private static func link(in visit: Visit) -> [UInt8]? {
        guard let text = visit.call.named("link"), let bytes = Base64URL.decode(Array(text.utf8)),
            bytes.count == BrowserToken.byteCount
        else { return nil }
        return bytes
    }

    private static func member(_ link: [UInt8], _ visit: Visit) async throws(Problem) -> StaffMember? {
        try await visit.call.served { try await $0.staff.member(link: link) }
    }

    private static func over(_ visit: Visit) -> Response {
        let words = visit.words
        let content = Markup([
            Tag.h1 { words.text(.linkOver) },
            Tag.p { words(.linkOverText, ["command": Tag.code { "gatepass staff reset" }]) },
        ])
        return .page(Shell.bare(words.text(.linkOver), words, content: content), status: .gone)
    }

    private static func page(
        _ visit: Visit, _ member: StaffMember, refused: Phrase?, status: HTTPResponse.Status = .ok
    ) -> Response {
        let words = visit.words
        let (browser, cookie) = visit.browserForForms()
        let lengths = ["n": String(PasswordHash.lengths.lowerBound)]
        let content = Markup([
            Tag.h1 { words(.linkTitle, ["name": Tag.bdi { member.name }]) },
            refused.map { phrase in
                Tag.p(.class("banner refused"), .role("alert")) { words.text(phrase, lengths) }
            } ?? .nothing,
            Shell.form(Link("link", visit.call.named("link") ?? ""), browser.formToken) {
                Field(
                    id: "username", label: words.text(.fieldName), value: member.name, autocomplete: "username",
                    isFixed: true
                ).markup
                Field(
                    id: "password", label: words.text(.fieldNewPassword), type: "password",
                    autocomplete: "new-password", hint: words.text(.passwordLength, lengths)
                ).markup
                Field(
                    id: "again", label: words.text(.fieldAgain), type: "password", autocomplete: "new-password"
                ).markup
                Tag.button(.class("button first"), .type("submit")) { words.text(.setPassword) }
            },
        ])
        return .page(
            Shell.bare(words.text(.setPassword), words, content: content),
            status: refused == nil || status != .ok ? status : .unprocessableContent, cookie: cookie)
    }
}
