import EntitlementAPI
import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore

/// A request for a page, from a browser that may be signed in.
struct Visit: Sendable {
    let call: OpenCall
    let dashboard: Dashboard
    /// The token of the browser's cookie.
    let browser: BrowserToken?
    let session: StaffSession?

    var settings: Dashboard.Settings { dashboard.settings }

    /// The words in the language and the zone of whoever is signed in; for anybody else in the browser's language.
    var words: Words {
        guard let member = session?.member else {
            return Words(Language(preferredBy: call.request.headers[.acceptLanguage]), in: .utc, now: call.now)
        }
        return Words(
            Language(rawValue: member.language) ?? .english, in: Zone(member.zone, by: dashboard.zones), now: call.now)
    }

    /// The fields of the query; empty if it cannot be read.
    var query: FormText { call.request.uri.query.flatMap { FormText($0.utf8) } ?? .empty }

    /// The fields of a form that was sent from a page of ours.
    ///
    /// - Throws: `forbidden` if the request comes from another origin, or without the token of this browser's forms;
    ///   `unsupported_media_type` and `invalid_request` for a body that is no form, and what reading it throws.
    func form() async throws(Problem) -> FormText {
        guard let origin = call.request.headers[.origin], settings.origins().contains(origin) else {
            throw Problem(.forbidden, "")
        }
        let type = call.request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type?.trimmingBlanks == "application/x-www-form-urlencoded" else {
            throw Problem(.unsupportedMediaType, "")
        }
        guard let form = FormText(try await call.bytes()) else { throw Problem(.invalidRequest, "") }
        guard let browser, browser.isFormToken(form.exact(FormText.token)) else { throw Problem(.forbidden, "") }
        return form
    }
}

extension String {
    /// The text without spaces and tabs at its ends.
    fileprivate var trimmingBlanks: String {
        let start = drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { String(start[...$0]) } ?? ""
    }
}

/// A request of somebody who is signed in.
struct SignedVisit: Sendable {
    let visit: Visit
    let session: StaffSession
    let browser: BrowserToken
    /// The work that waits, for the side bar; nil if it could not be counted.
    var work: WorkCounts?

    var member: StaffMember { session.member }
    var words: Words { visit.words }
    var query: FormText { visit.query }
    var now: Instant { visit.call.now }

    /// The result of `ask`, called with the open store.
    ///
    /// - Throws: `unavailable`, for any error of `ask`.
    func served<Value>(_ ask: (Store) async throws -> Value) async throws(Problem) -> Value {
        try await visit.call.served(ask)
    }

    /// Runs `fold` after the earlier reads of `place` have ended.
    ///
    /// - Throws: `rate_limited` if too many reads of the place wait, and what `fold` throws.
    func inTurn<Answer>(
        at place: FoldLine.Place, _ fold: () async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        try await visit.call.inTurn(at: place, fold)
    }

    /// Logs an act of this person, which stands in the audit trail.
    func log(_ action: AuditAction) { visit.call.log(action, by: Actor(member)) }

    /// A page in its frame.
    func page(
        _ title: String, status: HTTPResponse.Status = .ok, searching: String = "", isStart: Bool = false,
        at place: Destination? = nil, @MarkupBuilder content: () -> Markup
    ) -> Response {
        let frame = Shell.Frame(
            words: words, member: member, formToken: browser.formToken, searched: searching, isStart: isStart,
            place: place, work: work)
        return .page(Shell.document(title, frame, content: content()), status: status)
    }
}
