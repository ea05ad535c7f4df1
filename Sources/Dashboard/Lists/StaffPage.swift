import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/staff`: the people who use the dashboard and their sessions; and the forms that make, reset, disable
/// and sign them out, and change their roles. Nobody changes their own account here.
enum StaffPage {
    private static let path = "staff"

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        try await page(visit, refused: nil)
    }

    private static func page(_ visit: SignedVisit, refused: Phrase?) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let (words, filters) = (visit.words, ListFilters(path, visit))
        let people = try await visit.served { try await $0.staff.list() }
        let sessions = try await visit.served { try await $0.staff.sessions() }
        let view = ListView(
            visit: visit, place: .staff, text: .staffText, filters: filters,
            columns: [.columnName, .columnRole, .columnPassword, .columnSessions, .columnActs],
            none: (.staffNone, .staffNone),
            done: ["disabled": .doneDisabled, "role": .doneRole, "signed-out": .doneSignedOut])
        return view.page(
            people.map { person in row(person, sessions.filter { $0.member.id == person.id }, cells, filters) },
            next: nil, below: form(visit, words, refused))
    }

    private static func row(
        _ person: StaffMember, _ sessions: [StaffSession], _ cells: ListCells, _ filters: ListFilters
    ) -> Markup {
        let words = cells.words
        return Shell.row {
            Shell.name(words, .columnName) {
                Tag.bdi { person.name }
                Tag.small { Tag.code { Actor(person).text } }
            }
            Shell.cell(words, .columnRole) { role(of: person, cells, filters) }
            Shell.cell(words, .columnPassword) {
                if let disabledAt = person.disabledAt {
                    Tag.span(.class("bad")) { words.text(.staffDisabled) }
                    Tag.small { words.dateAndTime(disabledAt) }
                } else {
                    Tag.span(.class(person.hasPassword ? "" : "warn")) {
                        words.text(person.hasPassword ? .hasPassword : .hasNoPassword)
                    }
                }
            }
            Shell.cell(words, .columnSessions) {
                words.number(sessions.count)
                if let seen = sessions.map(\.seenAt).max() {
                    Tag.small { words.text(.lastSeen, ["date": words.dateAndTime(seen)]) }
                }
            }
            cells.acts {
                if person.id == cells.visit.member.id {
                    Tag.span(.class("muted")) { words.text(.thisIsYou) }
                } else {
                    acts(on: person, isIn: !sessions.isEmpty, cells, filters)
                }
            }
        }
    }

    private static func role(of person: StaffMember, _ cells: ListCells, _ filters: ListFilters) -> Markup {
        let words = cells.words
        guard person.id != cells.visit.member.id else { return Markup(words.text(person.role.word)) }
        let id = "role-" + String(person.id)
        return Shell.form(Link(path, String(person.id), "role"), cells.visit.browser.formToken) {
            Tag.div(.class("inline")) {
                Tag.label(.class("unseen"), .for(id)) { words.text(.roleOf, ["name": person.name]) }
                Tag.select(.id(id), .name("role")) {
                    for role in StaffRole.allCases {
                        Tag.option(all: [.value(role.rawValue)] + (role == person.role ? [.selected] : [])) {
                            words.text(role.word)
                        }
                    }
                }
                Tag.button(
                    .class("as-act"), .type("submit"), .ariaLabel(words.text(.changeRoleOf, ["name": person.name]))
                ) { words.text(.changeRole) }
            }
        }
    }

    private static func acts(
        on person: StaffMember, isIn: Bool, _ cells: ListCells, _ filters: ListFilters
    ) -> Markup {
        let number = String(person.id)
        return Markup([
            isIn ? cells.act(.signOutPerson, person.name, to: Link(path, number, "sign-out"), filters) : .nothing,
            cells.act(
                person.disabledAt == nil ? .resetPassword : .enableAgain, person.name, to: Link(path, number, "reset"),
                filters),
            person.disabledAt == nil
                ? cells.act(.disablePerson, person.name, to: Link(path, number, "disable"), filters, isTaking: true)
                : .nothing,
        ])
    }

    private static func form(_ visit: SignedVisit, _ words: Words, _ refused: Phrase?) -> Markup {
        Shell.panel("new", words.text(.newPerson)) {
            Tag.div(.class("panel-body")) {
                if let refused { Tag.p(.class("banner refused"), .role("alert")) { words.text(refused) } }
                Shell.form(Link(path), visit.browser.formToken) {
                    Field(id: "name", label: words.text(.columnName)).markup
                    Tag.div(.class("field")) {
                        Tag.label(.for("role")) { words.text(.columnRole) }
                        Tag.select(.id("role"), .name("role")) {
                            for role in StaffRole.allCases {
                                Tag.option(.value(role.rawValue)) { words.text(role.word) }
                            }
                        }
                    }
                    Tag.button(.class("button first"), .type("submit")) { words.text(.makePerson) }
                }
            }
        }
    }

    // MARK: Acts

    /// Adds a person, and shows the link that sets the password.
    ///
    /// - Throws: `unavailable`.
    static func create(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        guard let role = StaffRole(rawValue: form["role"]), let request = StaffRequest(name: form["name"], role: role)
        else { return try await page(visit, refused: .newPersonRefused) }
        let link = visit.visit.dashboard.newToken()
        let made = try await visit.served {
            try await $0.staff.create(request, link: link, by: visit.actor, reason: nil)
        }
        guard let made else { return try await page(visit, refused: .nameTaken) }
        visit.log(.createStaff)
        return linkPage(visit, made, link)
    }

    /// Takes a password away, and shows the link that sets a new one.
    ///
    /// - Throws: `not_found`, `forbidden` for one's own account, `unavailable`.
    static func reset(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let link = visit.visit.dashboard.newToken()
        let member = try await changing(visit, .resetStaff) { staff, name throws(ServiceFailure) in
            try await staff.reset(name, link: link, by: visit.actor, reason: nil)
        }
        return linkPage(visit, member, link)
    }

    /// Forbids a person to sign in.
    ///
    /// - Throws: `not_found`, `forbidden` for one's own account, `unavailable`.
    static func disable(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        _ = try await changing(visit, .disableStaff) { staff, name throws(ServiceFailure) in
            try await staff.disable(name, by: visit.actor, reason: nil)
        }
        return visit.back(form, to: path, saying: "disabled")
    }

    /// Ends a person's sessions.
    ///
    /// - Throws: `not_found`, `forbidden` for one's own account, `unavailable`.
    static func signOut(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        _ = try await changing(visit, .signOutEverywhere) { staff, name throws(ServiceFailure) in
            try await staff.signOut(name, by: visit.actor)
        }
        return visit.back(form, to: path, saying: "signed-out")
    }

    /// Gives a person another role.
    ///
    /// - Throws: `not_found`, `invalid_request`, `forbidden` for one's own account, `unavailable`.
    static func change(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        guard let role = StaffRole(rawValue: form["role"]) else { throw Problem(.invalidRequest, "") }
        _ = try await changing(visit, .changeStaffRole) { staff, name throws(ServiceFailure) in
            try await staff.change(name, to: role, by: visit.actor)
        }
        return visit.back(form, to: path, saying: "role")
    }

    private static func changing(
        _ visit: SignedVisit, _ action: AuditAction,
        _ change: @Sendable (Staff, String) async throws(ServiceFailure) -> StaffMember?
    ) async throws(Problem) -> StaffMember {
        let number = try visit.number("staff_id")
        guard number != visit.member.id else { throw Problem(.forbidden, "") }
        let member = try await visit.served { store -> StaffMember? in
            guard let name = try await store.staff.names(of: [number])[number] else { return nil }
            return try await change(store.staff, name)
        }
        guard let member else { throw Problem(.notFound, "") }
        visit.log(action)
        return member
    }

    private static func linkPage(_ visit: SignedVisit, _ member: StaffMember, _ link: [UInt8]) -> Response {
        let words = visit.words
        let address = Dashboard.passwordLink(link, at: visit.visit.settings.origins()[0])
        return visit.page(words.text(.linkMade), at: .staff) {
            Tag.h1 { words.text(.linkMade) }
            SecretPanel(id: "link", title: member.name, secret: address, hint: .linkMadeText).markup(words)
            Tag.p { Tag.a(.href(Link(path))) { words.text(.backToList) } }
        }
    }
}
