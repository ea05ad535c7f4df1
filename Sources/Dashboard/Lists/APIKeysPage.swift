import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/api-keys`: the keys of servers; and the forms that make one and revoke one.
enum APIKeysPage {
    private static let path = "api-keys"

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        try await page(visit, refused: nil)
    }

    private static func page(_ visit: SignedVisit, refused: Phrase?) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let filters = ListFilters(path, visit)
        let found = try await visit.served {
            ListPage(
                try await $0.apiKeys.page(before: filters.before, limit: ListView.rows + 1), limit: ListView.rows,
                number: \.id)
        }
        let view = ListView(
            visit: visit, place: .keys, text: .keysText, filters: filters,
            columns: [.columnName, .columnScopes, .columnMade, .columnUsed, .columnState, .columnActs],
            none: (.keysNone, .keysNoneHint), done: ["revoked": .doneKeyRevoked, "before": .keyMadeBefore])
        return view.page(
            found.rows.map { row($0, cells) }, next: ListView.before(found.next),
            below: form(visit, refused))
    }

    private static func row(_ key: APIKey, _ cells: ListCells) -> Markup {
        let words = cells.words
        return Shell.row {
            Shell.name(words, .columnName) {
                Tag.bdi { key.name }
                Tag.small { Tag.code { "api_key:" + String(key.id) } }
            }
            Shell.cell(words, .columnScopes) {
                words.joined(key.scopes.sorted().map { words.text($0.word) }, by: .listed)
            }
            cells.time(.columnMade, key.createdAt)
            cells.time(.columnUsed, key.lastUsedAt)
            Shell.cell(words, .columnState) {
                if let revokedAt = key.revokedAt {
                    Tag.span(.class("muted")) { words.text(.keyRevoked) }
                    Tag.small { words.dateAndTime(revokedAt) }
                } else {
                    words.text(.keyValid)
                }
            }
            cells.acts {
                if key.revokedAt == nil {
                    Tag.a(.class("taking"), .href(Link(path, String(key.id), "revoke"))) { words.text(.revokeKey) }
                }
            }
        }
    }

    private static func form(_ visit: SignedVisit, _ refused: Phrase?) -> Markup {
        let words = visit.words
        return Shell.panel("new", words.text(.newKey)) {
            Tag.div(.class("panel-body")) {
                if let refused { Tag.p(.class("banner refused"), .role("alert")) { words.text(refused) } }
                Shell.form(Link(path), visit.browser.formToken) {
                    Tag.input(.type("hidden"), .name(FormID.field), .value(FormID(new: visit).text))
                    Field(id: "name", label: words.text(.columnName), hint: words.text(.newKeyHint)).markup
                    Tag.fieldset {
                        Tag.legend { words.text(.columnScopes) }
                        for scope in APIKeyScope.allCases {
                            Tag.div(.class("check")) {
                                Tag.input(
                                    .type("checkbox"), .id("scope-" + scope.rawValue), .name(scope.rawValue),
                                    .value("1"))
                                Tag.label(.for("scope-" + scope.rawValue)) { words.text(scope.word) }
                            }
                        }
                    }
                    Tag.button(.class("button first"), .type("submit")) { words.text(.makeKey) }
                }
            }
        }
    }

    /// Makes a key. Only this answer shows its secret. The same form sent again makes none.
    ///
    /// - Throws: `invalid_request` for a form without its id, `unavailable`.
    static func create(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let scopes = APIKeyScope.allCases.filter { form[$0.rawValue] == "1" }
        guard let request = APIKeyRequest(name: form["name"], scopes: Set(scopes)) else {
            return try await page(visit, refused: .newKeyRefused)
        }
        guard let id = FormID(in: form) else { throw Problem(.invalidRequest, "") }
        guard let made = try await make(request, id, visit) else { return visit.back(form, to: path, saying: "before") }
        visit.log(.createAPIKey)
        let words = visit.words
        return visit.page(words.text(.keyMade), at: .keys) {
            Tag.h1 { words.text(.keyMade) }
            SecretPanel(id: "secret", title: made.key.name, secret: made.secret.text, hint: .keyMadeText).markup(words)
            Tag.p { Tag.a(.href(Link(path))) { words.text(.backToList) } }
        }
    }

    /// Makes the key of a form; nil if the form made one before.
    private static func make(
        _ request: APIKeyRequest, _ id: FormID, _ visit: SignedVisit
    ) async throws(Problem) -> (key: APIKey, secret: APIKeySecret)? {
        let verdict = try await visit.served { store in
            func label(_ kind: Labels.Kind, _ values: [String]) -> Label {
                id.label(kind, of: path, by: visit.member, values, under: store.labels)
            }
            return try await store.idempotency.claim(
                IdempotentRequest(
                    of: visit.member, key: label(.idempotencyKey, []),
                    digest: label(.request, [request.name] + request.scopes.sorted().map(\.rawValue)),
                    about: .nobody))
        }
        switch verdict {
        case .answered: return nil
        case .reused, .inProgress: throw Problem(.idempotencyInProgress, "")
        case .claimed(let claim):
            do throws(Problem) {
                return try await visit.served {
                    try await $0.apiKeys.create(request, by: visit.actor, reason: nil) { _, _ in
                        RememberedAnswer(claim: claim, status: 200, body: [])
                    }
                }
            } catch {
                // Lost: that the claim was not released. It ends by itself.
                try? await visit.served { try await $0.idempotency.release(claim) }
                throw error
            }
        }
    }

    /// `GET /dashboard/api-keys/{key_id}/revoke`: the form that revokes a key, which cannot be undone.
    ///
    /// - Throws: `not_found` for a key that is not there or is revoked, `unavailable`.
    static func askToRevoke(_ visit: SignedVisit) async throws(Problem) -> Response {
        let number = try visit.number("key_id")
        let (next, isOver) = number.addingReportingOverflow(1)
        let key = try await visit.served { try await $0.apiKeys.page(before: isOver ? nil : next, limit: 1).first }
        guard let key, key.id == number, key.revokedAt == nil else { throw Problem(.notFound, "") }
        let words = visit.words
        return visit.page(words.text(.revokeKey), at: .keys) {
            Tag.h1 { words.text(.revokeKey) }
            Tag.section(.class("panel"), .ariaLabel(words.text(.revokeKey))) {
                Tag.p(.class("lead")) { words(.revokeKeyAsk, ["name": Tag.bdi { key.name }]) }
                Tag.div(.class("confirm")) {
                    Shell.form(Link(path, String(number), "revoke"), visit.browser.formToken) {
                        Tag.button(.class("button taking"), .type("submit")) { words.text(.revokeKey) }
                        Tag.a(.class("button"), .href(Link(path))) { words.text(.cancel) }
                    }
                }
            }
        }
    }

    /// Revokes a key for good.
    ///
    /// - Throws: `not_found` for a key that is not there, `unavailable`.
    static func revoke(_ visit: SignedVisit, _ form: FormText) async throws(Problem) -> Response {
        let number = try visit.number("key_id")
        let revoked = try await visit.served { try await $0.apiKeys.revoke(number, by: visit.actor, reason: nil) }
        guard revoked != nil else { throw Problem(.notFound, "") }
        visit.log(.revokeAPIKey)
        return visit.back(form, to: path, saying: "revoked")
    }
}

extension APIKeyScope {
    fileprivate var word: Phrase {
        switch self {
        case .read: .scopeRead
        case .write: .scopeWrite
        case .admin: .scopeAdmin
        case .audit: .scopeAudit
        }
    }
}

/// A secret that is shown once.
struct SecretPanel {
    let id: String
    let title: String
    let secret: String
    let hint: Phrase

    func markup(_ words: Words) -> Markup {
        Tag.section(.class("panel"), .labelled(by: id)) {
            Tag.div(.class("panel-head")) { Tag.h2(.id(id)) { Tag.bdi { title } } }
            Tag.div(.class("panel-body")) {
                Tag.p { Tag.code(.class("secret")) { secret } }
                Tag.p(.class("hint")) { words.text(hint) }
            }
        }
    }
}
