import EntitlementAPI
import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore

/// `GET` and `POST /dashboard/sign-in`, and the forms that sign out.
enum SignInPage {
    private static let path = "sign-in"

    /// The link to the sign-in, which leads back to the page that was asked for.
    /// A form cannot be sent again by a link, so whoever sent one comes back to the page that it stood on.
    static func link(backTo request: Request, at origins: [String]) -> Link {
        var asked = request.uri.path + (request.uri.query.map { "?" + $0 } ?? "")
        if request.method == .post {
            let referer = request.headers[.referer] ?? ""
            asked = origins.first { referer.hasPrefix($0 + "/") }.map { String(referer.dropFirst($0.count)) } ?? ""
            if asked.hasSuffix("/confirm") { asked.removeLast("/confirm".count) }
        }
        return ["", "/dashboard"].contains(asked) ? Link(path) : Link(path, query: [("then", asked)])
    }

    /// - Throws: Nothing.
    static func show(_ visit: Visit) async throws(Problem) -> Response {
        guard visit.session == nil else { return .redirected(to: Link()) }
        return page(visit, then: visit.query["then"], refused: nil, name: "")
    }

    /// Signs in, with one answer for a wrong password, an unknown name and a disabled account.
    ///
    /// - Throws: `unavailable`.
    static func signIn(_ visit: Visit, _ form: FormText) async throws(Problem) -> Response {
        let (name, password, then) = (form["name"], form.exact("password"), form["then"])
        guard name.unicodeScalars.count <= StaffRequest.nameLimit,
            password.unicodeScalars.count <= PasswordHash.lengths.upperBound
        else { return page(visit, then: then, refused: .signInWrong, name: "") }
        let network = visit.call.signInNetwork
        /// Sends the person away for some seconds.
        func later(_ phrase: Phrase, _ seconds: Int64) -> Response {
            var response = page(visit, then: then, refused: phrase, name: name, status: .tooManyRequests)
            response.headers[.retryAfter] = String(seconds)
            return response
        }
        let approach = try await visit.call.served { try await $0.staff.approach(name, from: network) }
        if approach.pause > 0 { await visit.dashboard.hold(approach.pause) }
        let (desk, uptime) = (visit.dashboard.desk, visit.call.uptime)
        let line = approach.isKnown ? PasswordDesk.Line.known : .strangers
        let answer = try await desk.serve(line, by: uptime) { () async throws(Problem) -> Response in
            switch try await visit.call.served({ try await $0.staff.begin(name, from: network) }) {
            case .wait(let instant):
                return later(.signInWait, min(max(1, (instant - visit.call.now + 999) / 1_000), 900))
            case .compare(let number, let member, let stored):
                let hash =
                    stored.flatMap { PasswordHash(text: $0) } ?? PasswordHash(ofNobodyAt: visit.dashboard.passwordCost)
                let isRight = await desk.hashed(in: line, by: uptime) { hash.matches(password) } ?? false
                let token = BrowserToken(bytes: visit.dashboard.newToken())
                guard isRight, let member, stored != nil,
                    try await open(number, of: member, password: stored, token, visit) != nil
                else { return page(visit, then: then, refused: .signInWrong, name: name) }
                let cookie = token.cookie(visit.settings.cookie, isSecure: visit.settings.isSecure)
                return .redirected(to: Link(returningTo: then) ?? Link(), cookie: cookie)
            }
        }
        return answer ?? later(.signInBusy, 2)
    }

    private static func open(
        _ number: UInt64, of member: StaffMember, password: String?, _ token: BrowserToken, _ visit: Visit
    ) async throws(Problem) -> StaffSession? {
        try await visit.call.served {
            try await $0.staff.open(
                number, of: member, password: password, token: token.bytes, hours: visit.settings.sessionHours)
        }
    }

    /// Ends the session of this browser.
    ///
    /// - Throws: `unavailable`.
    static func signOut(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        try await end(visit, everywhere: false)
    }

    /// Ends all sessions of whoever is signed in.
    ///
    /// - Throws: `unavailable`.
    static func signOutEverywhere(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        try await end(visit, everywhere: true)
    }

    private static func end(_ visit: SignedVisit, everywhere: Bool) async throws(Problem) -> Response {
        try await visit.served { try await $0.staff.end(visit.session, everywhere: everywhere) }
        let settings = visit.visit.settings
        return .redirected(
            to: Link(path), cookie: BrowserToken.ending(settings.cookie, isSecure: settings.isSecure))
    }

    private static func page(
        _ visit: Visit, then: String, refused: Phrase?, name: String, status: HTTPResponse.Status = .ok
    ) -> Response {
        let words = visit.words
        let (browser, cookie) = visit.browserForForms()
        let content = Markup([
            Tag.h1(.class("large")) { words.text(.signIn) },
            refused.map { phrase in
                Tag.p(.class("banner refused"), .role("alert"), .id("refused")) { words.text(phrase) }
            } ?? .nothing,
            refused == nil && visit.query["done"] == "link"
                ? Tag.p(.class("banner done"), .role("status")) { words.text(.linkSet) } : .nothing,
            Shell.form(Link(path), browser.formToken) {
                Tag.input(.type("hidden"), .name("then"), .value(then))
                Field(id: "name", label: words.text(.fieldName), value: name, autocomplete: "username").markup
                Field(
                    id: "password", label: words.text(.fieldPassword), type: "password",
                    autocomplete: "current-password"
                ).markup
                Tag.button(.class("button first"), .type("submit")) { words.text(.signIn) }
            },
            Tag.p(.class("hint")) {
                words(.signInHint, ["command": Tag.code { "gatepass staff reset" }])
            },
        ])
        return .page(
            Shell.bare(words.text(.signIn), words, content: content),
            status: refused == .signInWrong ? .forbidden : status,
            cookie: cookie)
    }
}

extension Visit {
    /// The browser's token, or a new one with the field that sets its cookie.
    func browserForForms() -> (token: BrowserToken, cookie: String?) {
        if let browser { return (browser, nil) }
        let token = BrowserToken(bytes: dashboard.newToken())
        return (token, token.cookie(settings.cookie, isSecure: settings.isSecure))
    }
}

/// A field of a form with its label, and a hint or the reason why it was refused.
struct Field {
    let id: String
    let label: String
    var value = ""
    var type = "text"
    var autocomplete = "off"
    var hint: String?
    var refusal: String?
    /// True for a value that only tells a browser what the form is about.
    var isFixed = false

    var markup: Markup {
        var attributes: [Attribute] = [
            .id(id), .name(id), .type(type), .value(value), .autocomplete(autocomplete), .required, .plainText,
        ]
        if hint != nil || refusal != nil { attributes.append(.described(by: id + "-hint")) }
        if refusal != nil { attributes.append(.invalid) }
        if isFixed { attributes.append(.readOnly) }
        return Tag.div(.class("field")) {
            Tag.label(.for(id)) { label }
            Tag.input(all: attributes) {}
            if let text = refusal ?? hint {
                Tag.small(.id(id + "-hint"), .class(refusal == nil ? "hint" : "bad")) { text }
            }
        }
    }
}
