import EntitlementAPI
import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore

/// `GET` and `POST /dashboard/account`: the language, zone and colours of whoever is signed in, their password and
/// their sessions.
enum AccountPage {
    private static let path = "account"
    /// The longest name of a zone.
    private static let zoneLimit = 64

    /// A part of the page, by the field that a redirect carries.
    private enum Part: String {
        case look
        case password
        case sessions

        var done: Phrase {
            switch self {
            case .look: .accountSaved
            case .password: .passwordSaved
            case .sessions: .sessionsEnded
            }
        }
    }

    /// The reason why a form was refused: a field and the sentence beside it.
    private struct Refusal {
        let field: String
        let phrase: Phrase
        var typed = ""
        var status = HTTPResponse.Status.unprocessableContent
    }

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        try await page(visit, refused: nil)
    }

    /// - Throws: `invalid_request` for a language or colours that no form of ours sends, `unavailable`.
    static func save(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        guard let language = Language(rawValue: form["language"]), let theme = StaffTheme(rawValue: form["theme"])
        else { throw Problem(.invalidRequest, "") }
        let zone = form["zone"]
        let isZone =
            zone.utf8.count <= zoneLimit && zone.utf8.allSatisfy { $0 < 0x80 }
            && visit.visit.dashboard.zones(zone, visit.now) != nil
        guard isZone else {
            return try await page(visit, refused: Refusal(field: "zone", phrase: .zoneWrong, typed: zone))
        }
        let preferences = StaffPreferences(language: language.rawValue, zone: zone, theme: theme)
        try await visit.served { try await $0.staff.set(preferences, of: visit.session) }
        return done(.look)
    }

    /// Changes the password of whoever knows the present one. A wrong one counts as a try to sign in.
    ///
    /// - Throws: `unavailable`.
    static func changePassword(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let (present, password) = (form.exact("present"), form.exact("password"))
        guard PasswordHash.lengths.contains(password.unicodeScalars.count) else {
            return try await page(visit, refused: Refusal(field: "password", phrase: .passwordLength))
        }
        guard password == form.exact("again") else {
            return try await page(visit, refused: Refusal(field: "again", phrase: .passwordDiffers))
        }
        let wrong = Refusal(field: "present", phrase: .presentWrong)
        guard present.unicodeScalars.count <= PasswordHash.lengths.upperBound else {
            return try await page(visit, refused: wrong)
        }
        let (dashboard, network) = (visit.visit.dashboard, visit.visit.call.signInNetwork)
        /// Sends the person away for some seconds.
        func later(_ phrase: Phrase) async throws(Problem) -> Response {
            try await page(visit, refused: Refusal(field: "present", phrase: phrase, status: .tooManyRequests))
        }
        let (desk, uptime) = (dashboard.desk, visit.visit.call.uptime)
        let answer = try await desk.serve(.setting, by: uptime) { () async throws(Problem) -> Response in
            let start = try await visit.served { try await $0.staff.begin(visit.member.name, from: network) }
            guard case .compare(let number, _, let stored?) = start, let hash = PasswordHash(text: stored) else {
                return try await later(.signInWait)
            }
            let salt = Array(dashboard.newToken().prefix(PasswordHash.saltBytes))
            let made = await desk.hashed(in: .setting, by: uptime) {
                hash.matches(present)
                    ? PasswordHash(of: password, salt: salt, cost: dashboard.passwordCost)?.text : nil
            }
            guard let new = made ?? nil,
                try await visit.served({
                    try await $0.staff.change(password: new, from: stored, of: visit.session, number: number)
                })
            else { return try await page(visit, refused: wrong) }
            return done(.password)
        }
        guard let answer else { return try await later(.signInBusy) }
        return answer
    }

    /// Ends one other session, or all others.
    ///
    /// - Throws: `invalid_request` without the number of a session or `others`, `unavailable`.
    static func endSessions(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let which = form["session"]
        let id = UInt64(which)
        guard id != nil || which == "others" else { throw Problem(.invalidRequest, "") }
        try await visit.served { try await $0.staff.end(id, beside: visit.session) }
        return done(.sessions)
    }

    private static func done(_ part: Part) -> Response {
        .redirected(to: Link(path, query: [("done", part.rawValue)]))
    }

    // MARK: The page

    private static func page(_ visit: SignedVisit, refused: Refusal?) async throws(Problem) -> Response {
        let idle = visit.visit.settings.idleMinutes
        let sessions = try await visit.served {
            try await $0.staff.sessions(beside: visit.session, idleMinutes: idle)
        }
        let words = visit.words
        return visit.page(words.text(.accountTitle), status: refused?.status ?? .ok) {
            Tag.h1 { words.text(.accountTitle) }
            if let refused {
                Tag.p(.class("banner refused"), .role("alert")) {
                    Tag.a(.href(Link(fragment: refused.field))) { text(refused, words) }
                }
            } else if let part = Part(rawValue: visit.query["done"]) {
                Tag.p(.class("banner done"), .role("status")) { words.text(part.done) }
            }
            Tag.div(.class("halves")) {
                look(visit, refused)
                password(visit, refused)
            }
            table(of: sessions, visit)
        }
    }

    private static func text(_ refused: Refusal, _ words: Words) -> String {
        words.text(refused.phrase, ["n": String(PasswordHash.lengths.lowerBound)])
    }

    private static func look(_ visit: SignedVisit, _ refused: Refusal?) -> Markup {
        let (words, member) = (visit.words, visit.member)
        let isRefused = refused?.field == "zone"
        return Shell.panel("look", words.text(.lookTitle)) {
            Shell.form(Link(path), visit.browser.formToken) {
                choice(
                    "language", words.text(.fieldLanguage), words.language.rawValue,
                    Language.allCases.map { ($0.rawValue, $0.ownName) })
                Field(
                    id: "zone", label: words.text(.fieldZone),
                    value: isRefused ? refused?.typed ?? "" : member.zone, hint: words.text(.zoneHint),
                    refusal: isRefused ? words.text(.zoneWrong) : nil
                ).markup
                choice(
                    "theme", words.text(.fieldTheme), member.theme.rawValue,
                    StaffTheme.allCases.map { ($0.rawValue, words.text($0.phrase)) })
                Tag.button(.class("button first"), .type("submit")) { words.text(.save) }
            }
        }
    }

    private static func choice(
        _ id: String, _ label: String, _ chosen: String, _ options: [(value: String, name: String)]
    ) -> Markup {
        Tag.div(.class("field")) {
            Tag.label(.for(id)) { label }
            Tag.select(.id(id), .name(id)) {
                for option in options {
                    Tag.option(all: [.value(option.value)] + (option.value == chosen ? [.selected] : [])) {
                        option.name
                    }
                }
            }
        }
    }

    private static func password(_ visit: SignedVisit, _ refused: Refusal?) -> Markup {
        let words = visit.words
        let length = words.text(.passwordLength, ["n": String(PasswordHash.lengths.lowerBound)])
        func field(_ id: String, _ label: Phrase, _ autocomplete: String, hint: String? = nil) -> Markup {
            let refusal = refused.flatMap { $0.field == id ? text($0, words) : nil }
            return Field(
                id: id, label: words.text(label), type: "password", autocomplete: autocomplete, hint: hint,
                refusal: refusal
            ).markup
        }
        return Shell.panel("own-password", words.text(.passwordTitle)) {
            Shell.form(Link(path, "password"), visit.browser.formToken) {
                Field(
                    id: "username", label: words.text(.fieldName), value: visit.member.name,
                    autocomplete: "username", isFixed: true
                ).markup
                field("present", .fieldPresent, "current-password")
                field("password", .fieldNewPassword, "new-password", hint: length)
                field("again", .fieldAgain, "new-password", hint: words.text(.passwordHint))
                Tag.button(.class("button first"), .type("submit")) { words.text(.setPassword) }
            }
        }
    }

    private static func table(of sessions: [StaffSession], _ visit: SignedVisit) -> Markup {
        let words = visit.words
        let idle = words.length(Int64(visit.visit.settings.idleMinutes) * 60_000)
        return Shell.panel("sessions", words.text(.sessionsTitle)) {
            Tag.p { words.text(.sessionsHint, ["idle": idle]) }
            Tag.table(.role("table")) {
                Tag.thead(.role("rowgroup")) {
                    Shell.row {
                        for column in [Phrase.columnBegan, .columnUsed, .columnEnds] {
                            Tag.th(.scope("col"), .role("columnheader")) { words.text(column) }
                        }
                        Tag.td(.role("cell"))
                    }
                }
                Tag.tbody(.role("rowgroup")) {
                    for session in sessions { row(session, visit) }
                }
            }
            if sessions.count > 1 {
                Tag.div(.class("older")) {
                    end("others", .endOthers, visit)
                    Shell.form(Link("sign-out-everywhere"), visit.browser.formToken) {
                        Tag.button(.class("as-link"), .type("submit")) { words.text(.signOutEverywhere) }
                    }
                }
            }
        }
    }

    private static func row(_ session: StaffSession, _ visit: SignedVisit) -> Markup {
        let words = visit.words
        return Shell.row {
            Shell.name(words, .columnBegan) { words.cell(session.createdAt) }
            Shell.cell(words, .columnUsed) { words.cell(session.seenAt) }
            Shell.cell(words, .columnEnds) { words.cell(session.endsAt) }
            Tag.td(.role("cell"), .class("amount")) {
                if session.id == visit.session.id {
                    words.text(.thisSession)
                } else {
                    end(String(session.id), .endSession, visit)
                }
            }
        }
    }

    private static func end(_ which: String, _ label: Phrase, _ visit: SignedVisit) -> Markup {
        Shell.form(Link(path, "sessions"), visit.browser.formToken) {
            Tag.input(.type("hidden"), .name("session"), .value(which))
            Tag.button(.class("as-link"), .type("submit")) { visit.words.text(label) }
        }
    }
}

extension StaffTheme {
    fileprivate var phrase: Phrase {
        switch self {
        case .system: .themeSystem
        case .light: .themeLight
        case .dark: .themeDark
        }
    }
}
