package import EntitlementAPI
import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore

/// The pages for people: who has access, from what, until when, and why. They need no script.
///
/// The dashboard reads what the operators' routes read and acts as they do. It has no SQL and no rule of its own. Its
/// clock and randomness are handed in.
package struct Dashboard: Sendable {
    /// How people reach the dashboard, and how long a sign-in lasts.
    package struct Settings: Sendable {
        /// The origins of the pages as browsers write them, such as `https://gatepass.example.com`. A POST must name
        /// one of them. The first is for links.
        package let origins: @Sendable () -> [String]
        /// True if browsers reach the pages over TLS. Then the cookie is theirs alone.
        package let isSecure: Bool
        package let idleMinutes: Int
        package let sessionHours: Int

        package init(
            origins: @escaping @Sendable () -> [String], isSecure: Bool, idleMinutes: Int = 60, sessionHours: Int = 12
        ) {
            self.origins = origins
            self.isSecure = isSecure
            self.idleMinutes = idleMinutes
            self.sessionHours = sessionHours
        }

        /// The cookie's name. The prefix `__Host-` keeps other hosts and plain http from setting it.
        package var cookie: String { isSecure ? "__Host-gatepass" : "gatepass_dev" }
    }

    let settings: Settings
    let zones: Zone.Rules
    /// Makes 32 bytes that nobody can guess.
    let newToken: @Sendable () -> [UInt8]
    /// Returns after so many milliseconds, or when the request ends.
    let hold: @Sendable (Int64) async -> Void
    let passwordCost: PasswordCost
    let desk = PasswordDesk()
    let counter = WorkCounter()

    package init(
        _ settings: Settings, zones: @escaping Zone.Rules, newToken: @escaping @Sendable () -> [UInt8],
        hold: @escaping @Sendable (Int64) async -> Void, passwordCost: PasswordCost = .standard
    ) {
        self.passwordCost = passwordCost
        self.settings = settings
        self.zones = zones
        self.newToken = newToken
        self.hold = hold
    }

    /// The largest body of a form, in bytes.
    static let formLimit = 16 * 1024

    /// All pages, forms and files.
    package var endpoints: [Endpoint] {
        [
            open(.get, "/dashboard/style/{name}", StylesheetPage.respond),
            open(.get, "/dashboard/sign-in", SignInPage.show),
            form("/dashboard/sign-in", rate: .password, SignInPage.signIn),
            open(.get, "/dashboard/link/{link}", PasswordLinkPage.show),
            form("/dashboard/link/{link}", rate: .password, PasswordLinkPage.setPassword),
            signedForm("/dashboard/sign-out", .read, SignInPage.signOut),
            signedForm("/dashboard/sign-out-everywhere", .read, SignInPage.signOutEverywhere),
            signed("/dashboard/account", .read, AccountPage.show),
            signedForm("/dashboard/account", .read, AccountPage.save),
            signedForm("/dashboard/account/password", .read, rate: .password, AccountPage.changePassword),
            signedForm("/dashboard/account/sessions", .read, AccountPage.endSessions),
            signed("/dashboard", .read, StartPage.show),
            signed("/dashboard/search", .read, SearchPage.show),
            signed("/dashboard/purchase", .read, PurchasePage.show),
            signed("/dashboard/users/{user_id}", .read, CustomerPage.show),
        ] + acts + lists + [
            signed("/dashboard/**", .read) { (_: SignedVisit) throws(Problem) in throw Problem(.notFound, "") }
        ]
    }

    /// The link by which a person sets a password, for `gatepass staff`.
    package static func passwordLink(_ link: [UInt8], at origin: String) -> String {
        origin + Link("link", Base64URL.encode(link)).text
    }

    // MARK: Kinds of endpoints

    /// A page for anybody.
    private func open(
        _ method: HTTPRequest.Method, _ path: String, rate: RateLimits.Kind = .open,
        _ route: @escaping @Sendable (Visit) async throws(Problem) -> Response
    ) -> Endpoint {
        .page(
            method, path, rate: rate,
            { (call: OpenCall) async throws(Problem) in
                try await answering(call) { (visit) async throws(Problem) in try await route(visit) }
            }, orElse: ProblemPage.response)
    }

    /// A form for anybody: a POST of our own page.
    private func form(
        _ path: String, rate: RateLimits.Kind = .open,
        _ route: @escaping @Sendable (Visit, FormText) async throws(Problem) -> Response
    ) -> Endpoint {
        open(.post, path, rate: rate) { (visit) async throws(Problem) in
            try await route(visit, try await visit.form())
        }.allowing(bodyBytes: Self.formLimit)
    }

    /// A page for signed-in people whose role has the right of `scope`.
    func signed(
        _ path: String, _ scope: APIKeyScope,
        _ route: @escaping @Sendable (SignedVisit) async throws(Problem) -> Response
    ) -> Endpoint {
        open(.get, path) { (visit) async throws(Problem) in try await signing(visit, scope, route) }.endingWithCaller
    }

    /// A form for signed-in people whose role has the right of `scope`. The form is checked before the sign-in.
    func signedForm(
        _ path: String, _ scope: APIKeyScope, rate: RateLimits.Kind = .open,
        _ route: @escaping @Sendable (SignedVisit, FormText) async throws(Problem) -> Response
    ) -> Endpoint {
        form(path, rate: rate) { (visit, form) async throws(Problem) in
            try await signing(visit, scope) { (signed) async throws(Problem) in
                defer { counter.forget() }
                return try await route(signed, form)
            }
        }
    }

    private func answering(
        _ call: OpenCall, _ route: (Visit) async throws(Problem) -> Response
    ) async throws(Problem) -> Response {
        let browser = BrowserToken(in: call.request, cookie: settings.cookie)
        var session: StaffSession?
        if let browser, call.request.uri.path.hasPrefix("/dashboard/style/") == false {
            session = try await call.served {
                try await $0.staff.session(browser.bytes, idleMinutes: settings.idleMinutes)
            }
        }
        let visit = Visit(call: call, dashboard: self, browser: browser, session: session)
        do throws(Problem) {
            return try await route(visit)
        } catch {
            guard let session, let browser, !error.closesConnection else { throw error }
            let frame = Shell.Frame(words: visit.words, member: session.member, formToken: browser.formToken)
            return ProblemPage.response(to: error, in: frame)
        }
    }

    /// Answers a signed-in person; sends anybody else to sign in, and back afterwards.
    private func signing(
        _ visit: Visit, _ scope: APIKeyScope, _ route: (SignedVisit) async throws(Problem) -> Response
    ) async throws(Problem) -> Response {
        guard let session = visit.session, let browser = visit.browser else {
            return .redirected(to: SignInPage.link(backTo: visit.call.request, at: settings.origins()))
        }
        guard session.member.role.allows(scope) else { throw Problem(.forbidden, "") }
        let work = try await visit.call.served { await counter.counts(in: $0, at: visit.call.now) }
        return try await route(SignedVisit(visit: visit, session: session, browser: browser, work: work))
    }
}
