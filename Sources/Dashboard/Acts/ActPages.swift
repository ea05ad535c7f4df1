import EntitlementAPI
import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore

/// The pages of an act: its form beside the present lane, its preview, and the confirmation that carries it out.
enum ActPages<Act: PersonAct> {
    /// The name of the field with the lengths of the ledgers at the preview.
    private static var lengthsField: String { "ledgers" }

    static var path: String { "/dashboard/users/{user_id}/acts/" + Act.path }

    /// The link to the form.
    static func link(to user: UserID, query: [(name: String, value: String)] = []) -> Link {
        Link("users", user.text, "acts", Act.path, query: query)
    }

    // MARK: Routes

    /// `GET`: the form, and the lane as it is.
    ///
    /// - Throws: `not_found` for a malformed user id, `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let user = try visit.user()
        return try await visit.inTurn(at: .operators(user)) { () async throws(Problem) in
            let desk = try await Desk(visit, user, visit.query, as: FormID(new: visit))
            return page(desk, right: present(desk))
        }
    }

    /// `POST`: the preview, which writes nothing.
    ///
    /// - Throws: `not_found` for a malformed user id, `unavailable`.
    static func preview(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        try await preview(visit, try visit.user(), form)
    }

    /// The preview of the act on a user whom a page names by other means.
    ///
    /// - Throws: `unavailable`.
    static func preview(
        _ visit: SignedVisit, _ user: UserID, _ form: FormText
    ) async throws(Problem) -> Response {
        try await visit.inTurn(at: .operators(user)) { () async throws(Problem) in
            let desk = try await Desk(visit, user, form, as: FormID(in: form) ?? FormID(new: visit))
            switch Act.read(desk) {
            case .failure(let refusal): return refused(desk, refusal)
            case .success(let proposal): return try await preview(proposal, desk, isOutdated: false)
            }
        }
    }

    /// `POST` of the preview's own form: carries the act out, and leads back to the person. If the person has changed
    /// since the preview, it is made again.
    ///
    /// - Throws: `not_found` for a malformed user id, `unavailable`, and what the act throws.
    static func confirm(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let user = try visit.user()
        return try await visit.inTurn(at: .operators(user)) { () async throws(Problem) in
            try await confirm(visit, user, form)
        }
    }

    private static func confirm(
        _ visit: SignedVisit, _ user: UserID, _ form: FormText
    ) async throws(Problem) -> Response {
        let formID = FormID(in: form)
        let desk = try await Desk(visit, user, form, as: formID ?? FormID(new: visit))
        let proposal: Proposal
        switch Act.read(desk) {
        case .failure(let refusal): return refused(desk, refusal)
        case .success(let read): proposal = read
        }
        guard formID != nil, let lengths = LedgerLengths(form.exact(lengthsField)) else {
            return try await preview(proposal, desk, isOutdated: true)
        }
        switch try await proposal.act.carryOut(visit, lengths) {
        case .done: return .redirected(to: visit.link(afterActOn: desk.user, saying: proposal.done))
        case .outdated: return try await preview(proposal, desk, isOutdated: true)
        case .refused(let refusal): return refused(desk, refusal)
        }
    }

    // MARK: Pages

    private static func preview(
        _ proposal: Proposal, _ desk: Desk, isOutdated: Bool
    ) async throws(Problem) -> Response {
        let previewed = try await desk.visit.inTurn(at: .previews) { () async throws(Problem) in
            try await desk.visit.served { try await proposal.act.preview($0) }
        }
        switch previewed {
        case .failure(let refusal): return refused(desk, refusal)
        case .success(let preview):
            let panel = PreviewPanel(preview, about: desk.user, desk.names)
            return page(
                desk, outdated: isOutdated,
                right: panel.markup(preview.wouldChange ? confirmation(proposal, preview, desk) : nil),
                isPreviewed: true, status: isOutdated ? .conflict : .ok)
        }
    }

    private static func refused(_ desk: Desk, _ refusal: ActRefusal) -> Response {
        page(desk, refusal: refusal, right: present(desk), status: .unprocessableContent)
    }

    private static func page(
        _ desk: Desk, refusal: ActRefusal? = nil, outdated: Bool = false, right: Markup, isPreviewed: Bool = false,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let words = desk.words
        let sheet = FormSheet(
            action: link(to: desk.user), formID: desk.formID, fields: Act.fields(desk), refusal: refusal)
        return desk.visit.page(words.text(Act.title), status: status) {
            Tag.div {
                Tag.p(.class("crumbs")) {
                    Tag.a(.href(Link("users", desk.user.text))) { Tag.code { desk.user.text } }
                    " / "
                    Tag.a(.href(Link("users", desk.user.text, "acts"))) { words.text(.allActs) }
                }
                Tag.h1(.class(Act.isTaking ? "taking" : "")) { words.text(Act.title) }
                Tag.p(.class("lead")) { words.text(Act.hint) }
            }
            sheet.banner(words)
            if outdated { Tag.p(.class("banner warned"), .role("alert")) { words.text(.previewOutdated) } }
            Tag.div(.class("act")) {
                Shell.panel("form", words.text(.formTitle)) {
                    Tag.div(.class("panel-body")) {
                        sheet.markup(
                            words, token: desk.visit.browser.formToken,
                            button: words.text(isPreviewed ? .previewAgain : .previewButton),
                            isFirst: !isPreviewed)
                    }
                }
                right
            }
        }
    }

    /// The lane as it is, beside a form that nobody has previewed yet.
    private static func present(_ desk: Desk) -> Markup {
        let drawing = Drawing(of: desk.timeline, at: desk.visit.now)
        let figure = LaneFigure(
            drawing: drawing, timeline: desk.timeline, names: desk.names, scale: LaneScale(drawing, asked: nil),
            link: nil)
        return Shell.panel("present", desk.words.text(.presentTitle)) { figure.markup }
    }

    /// The form that carries the act out. It holds what was previewed, and the first button names the act.
    private static func confirmation(_ proposal: Proposal, _ preview: ActPreview, _ desk: Desk) -> Markup {
        Shell.form(Link("users", desk.user.text, "acts", Act.path, "confirm"), desk.visit.browser.formToken) {
            desk.formID.carried
            Tag.input(.type("hidden"), .name(lengthsField), .value(preview.lengths.text))
            for field in Act.fields(desk) { field.carried }
            Tag.button(.class(Act.isTaking ? "button taking" : "button first"), .type("submit")) { proposal.button }
            Tag.a(.class("button"), .href(Link("users", desk.user.text))) { desk.words.text(.cancel) }
        }
    }
}

extension Dashboard {
    /// The pages of all acts on a person, and of what is bound to a person.
    var acts: [Endpoint] {
        [
            signed("/dashboard/users/{user_id}/acts", .write, AllActsPage.show),
            signedForm("/dashboard/purchase/bind", .write, PurchasePage.bind),
            signedForm("/dashboard/orders", .read, OrderPage.ask).allowing(
                bodyBytes: Self.formLimit, seconds: OrderLookUpRoute.deadlineSeconds),
        ] + pages(of: GiveDays.self) + pages(of: GiveUntil.self) + pages(of: GiveAddOn.self)
            + pages(of: GiveCredits.self) + pages(of: MakeGood.self) + pages(of: SpendCredits.self)
            + pages(of: Revoke.self) + pages(of: Transfer.self) + pages(of: Merge.self) + pages(of: Bind.self)
            + pages(of: NameTester.self) + pages(of: UnnameTester.self) + pages(of: RemoveDevice.self)
            + pages(of: SignOutUser.self) + pages(of: Erase.self)
    }

    private func pages<Act: PersonAct>(of act: Act.Type) -> [Endpoint] {
        let path = ActPages<Act>.path
        return [
            signed(path, Act.scope, ActPages<Act>.show),
            signedForm(path, Act.scope, ActPages<Act>.preview).endingWithCaller,
            signedForm(path + "/confirm", Act.scope, ActPages<Act>.confirm).endingWithCaller,
        ]
    }
}
