import Foundation
import Observation

/// What the user of this app has, from a Gatepass server.
///
/// One for the whole app, made at its start. A kept answer is changed by three things: a 200 to a request that began
/// after the one that it answers, a genuine offline token, and a sign-out. No fault of network or server ends it.
@MainActor @Observable
public final class Gatepass {
    /// Who is asking. Where another user's token comes, what is kept of the one before is forgotten.
    @ObservationIgnored public var signIn: SignIn
    @ObservationIgnored private let bundleID: String?
    @ObservationIgnored private let service: Service
    @ObservationIgnored private let secrets: Storage
    @ObservationIgnored let notes: Storage
    @ObservationIgnored let proof: @Sendable () async -> String?
    @ObservationIgnored let pause: @Sendable (_ seconds: Int) async throws -> Void
    @ObservationIgnored let date: @Sendable () -> Date
    @ObservationIgnored let patient: Bool
    @ObservationIgnored var deliveries: [String: Task<Delivery, Never>] = [:]

    private var kept: Kept?
    /// Grows when something has ended, so that views look again.
    private var ended = 0
    @ObservationIgnored private var record = Record()
    @ObservationIgnored private var session: Session?
    @ObservationIgnored private var clock: TrustedClock
    /// The number of the last request, and that of the last one whose answer is of no interest any more.
    @ObservationIgnored private var asked = 0
    @ObservationIgnored private var forgotten = -1
    @ObservationIgnored private var keysFetched = Date.distantPast
    @ObservationIgnored private var ending: Task<Void, Never>?
    @ObservationIgnored private var renewal: Task<Void, Never>?
    @ObservationIgnored private var listeners: [UUID: AsyncStream<Status?>.Continuation] = [:]

    /// `bundleID` is the app's in the catalogue: an extension names its app's. Without one no offline token is kept.
    public convenience init(server: URL, signIn: SignIn, bundleID: String? = Bundle.main.bundleIdentifier) {
        self.init(
            service: Service(server: server), signIn: signIn, bundleID: bundleID, secrets: .secrets(of: server),
            notes: .defaults(of: server), proof: Gatepass.appTransactionText)
    }

    init(
        service: Service, signIn: SignIn, bundleID: String?, secrets: Storage, notes: Storage,
        proof: @escaping @Sendable () async -> String? = { nil },
        pause: @escaping @Sendable (_ seconds: Int) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
        date: @escaping @Sendable () -> Date = { Date() }, patient: Bool = !isDebugBuild
    ) {
        (self.service, self.signIn, self.bundleID, self.secrets, self.notes) =
            (service, signIn, bundleID, secrets, notes)
        (self.proof, self.pause, self.date, self.patient) = (proof, pause, date, patient)
        clock = TrustedClock(at: date())
        // What cannot be read is as if it were not there: the user is asked for anew.
        session = secrets.read("session").flatMap { try? JSONDecoder().decode(Session.self, from: $0) }
        load()
    }

    // MARK: What the user has

    /// What counts now, or nil where nothing is known: ask with `refresh()`.
    public var status: Status? {
        _ = ended
        return kept?.counting(at: clock.now)
    }

    /// Whether anything is covered now.
    public var isActive: Bool { status?.active ?? false }

    /// Whether this feature is open now.
    public func has(_ feature: String) -> Bool { status?.features.contains(feature) ?? false }

    /// The limit now; nil where the catalogue has none of this name, or nothing is known: then use the app's smallest.
    public func limit(_ name: String) -> Limit? { status?.limit(name) }

    /// The status now, at once, and then each time that it changes.
    public var updates: AsyncStream<Status?> {
        let id = UUID()
        let (stream, listener) = AsyncStream.makeStream(of: Status?.self, bufferingPolicy: .bufferingNewest(1))
        listener.onTermination = { [weak self] _ in
            Task { @MainActor [weak self] in self?.listeners[id] = nil }
        }
        listeners[id] = listener
        listener.yield(status)
        return stream
    }

    /// Asks for the status: at the start, on return to the foreground. What is kept counts on where this throws.
    @discardableResult
    public func refresh() async throws(GatepassError) -> Status {
        do throws(GatepassError) {
            let (status, asked) = try await call("GET", "/api/iap/apple/status", as: Status.self)
            if keep(status, asked) { await renewal?.value }
            return status
        } catch {
            // The time that was seen is kept; or a device that was locked at the start gives what is kept only now.
            if record.token != nil { save() } else if kept == nil, forgotten < 0 { load() }
            throw error
        }
    }

    /// The person has signed out: everything of theirs is forgotten, and answers under way are not looked at.
    public func signOut() {
        forget()
        session = nil
        secrets.write("session", nil)
    }

    // MARK: Calls

    /// An answer, and the number of the request that it answers.
    func call<Answer: Decodable & Sendable>(
        _ method: String, _ path: String, query: [String: String] = [:], headers: [String: String] = [:],
        body: (any Encodable & Sendable)? = nil, seconds: Double = 20, as type: Answer.Type
    ) async throws(GatepassError) -> (Answer, Int) {
        let request = Service.Request(
            method: method, path: path, query: query, headers: headers, body: body, seconds: seconds)
        let bearer = try await self.bearer()
        let number = nextNumber()
        do throws(GatepassError) {
            return (try await service.value(of: request, as: type, bearer: bearer), number)
        } catch {
            // An Apple account's token that counts no more: sign in again, once.
            guard case .appTransaction = signIn, error.problem?.code == .unauthenticated else { throw error }
            if session?.token == bearer { session = nil }
            let again = try await self.bearer()
            let number = nextNumber()
            return (try await service.value(of: request, as: type, bearer: again), number)
        }
    }

    /// A call that needs no sign-in.
    func fetch<Answer: Decodable & Sendable>(
        _ path: String, headers: [String: String] = [:], as type: Answer.Type
    ) async throws(GatepassError) -> Answer {
        try await service.value(
            of: Service.Request(method: "GET", path: path, headers: headers), as: type, bearer: nil)
    }

    /// Keeps a status, unless a newer one is kept or its user has signed out. A token that it contradicts goes.
    @discardableResult
    func keep(_ status: Status, _ asked: Int) -> Bool {
        guard asked > forgotten, kept?.isOlder(than: status, asked: asked) ?? true else { return false }
        clock = TrustedClock(at: status.at)
        if record.user != status.userID { (record.token, record.accountToken) = (nil, nil) }
        if !status.active { record.token = nil }
        record.user = status.userID
        kept = Kept(status: status, asked: asked, endsAt: nil)
        save()
        changed()
        renewal = Task { [before = renewal] in
            await before?.value  // one after the other, so that the keys are fetched once
            await renewToken()
        }
        return true
    }

    /// Signs in with what StoreKit says now, and keeps the token.
    @discardableResult
    func makeSession(with account: SignedAppTransaction) async throws(GatepassError) -> Session {
        struct Answer: Decodable {
            let token: String
            let expires_at: Date
        }
        let request = Service.Request(
            method: "POST", path: "/api/iap/apple/sign-in", body: ["signedAppTransaction": account.text])
        let answer: Answer
        do throws(GatepassError) {
            answer = try await service.value(of: request, as: Answer.self, bearer: nil)
        } catch {
            if case .refused(let problem) = error { throw .notSignedIn(problem) }
            throw error
        }
        let made = Session(account: account.account, token: answer.token, expiresAt: answer.expires_at)
        session = made
        secrets.write("session", try? JSONEncoder().encode(made))  // cannot fail: texts and a date
        return made
    }

    /// Moves everything of the Apple account to the user of the app's own login, once and for good. Then set `signIn`.
    public func adopt(ownToken: String, account: SignedAppTransaction) async throws(GatepassError) {
        struct Answer: Decodable { let status: Status }
        let request = Service.Request(
            method: "POST", path: "/api/iap/apple/adopt", body: ["signedAppTransaction": account.text])
        let number = nextNumber()
        let answer = try await service.value(of: request, as: Answer.self, bearer: ownToken)
        guard number > forgotten else { return }
        signOut()
        record.subject = OfflineToken.subject(of: ownToken)
        keep(answer.status, nextNumber())
    }

    /// The account token that is kept, or the server's; nil where neither is to be had, which must not stop a sale.
    public func accountToken() async -> UUID? {
        struct Answer: Decodable { let app_account_token: UUID }
        do throws(GatepassError) {
            let (answer, asked) = try await call("GET", "/api/iap/apple/account-token", seconds: 5, as: Answer.self)
            guard asked > forgotten else { return nil }
            record.accountToken = answer.app_account_token
            save()
        } catch {
            guard error.retry == .later else { return nil }  // nobody is signed in
        }
        return record.accountToken
    }

    // MARK: What is kept

    private func bearer() async throws(GatepassError) -> String {
        let token: String
        switch signIn {
        case .token(let own):
            do { token = try await own() } catch { throw .notSignedIn(nil) }
        case .appTransaction(let text):
            let account = try? await text()  // not to be had: a kept token counts on
            if let session, session.account == account?.account ?? session.account,
                session.expiresAt > clock.now + 3_600
            {
                token = session.token
            } else {
                guard let account else { throw .notSignedIn(nil) }
                token = try await makeSession(with: account).token
            }
        }
        if let subject = OfflineToken.subject(of: token), subject != record.subject {
            if record.subject != nil { forget() }
            record.subject = subject
        }
        return token
    }

    /// Fetches an offline token. Where that fails, the one that is kept counts until its end.
    private func renewToken() async {
        struct Answer: Decodable { let token: String }
        do throws(GatepassError) {
            guard let bundleID else { return }
            let (answer, asked) = try await call(
                "GET", "/api/iap/entitlement-token", query: ["bundle_id": bundleID], as: Answer.self)
            if refusal(of: answer.token) == .unknownKey, clock.now > keysFetched + 60 {
                keysFetched = clock.now
                record.keys = try await fetch("/.well-known/jwks.json", as: OfflineToken.KeySet.self)
            }
            guard asked > forgotten, asked > kept?.asked ?? 0, refusal(of: answer.token) == nil else { return }
            record.token = answer.token
            save()
        } catch {}
    }

    /// Reads what an earlier start kept. What cannot be read is as if it were not there, and is not overwritten.
    private func load() {
        guard let data = secrets.read("kept"), let kept = try? JSONDecoder().decode(Record.self, from: data)
        else { return }
        record = kept
        clock = TrustedClock(at: max(date(), record.latest))
        guard let token = record.token, let claims = try? verified(token) else { return }  // ended, most often
        self.kept = Kept(status: claims.status, asked: 0, endsAt: claims.endsAt)
        changed()
    }

    private func verified(_ token: String) throws(OfflineToken.Refusal) -> OfflineToken {
        guard let user = record.user, let bundleID else { throw .notMine }
        return try .verified(token, keys: record.keys, user: user, bundleID: bundleID, now: clock.now)
    }

    private func refusal(of token: String) -> OfflineToken.Refusal? {
        do throws(OfflineToken.Refusal) {
            _ = try verified(token)
            return nil
        } catch {
            return error
        }
    }

    private func forget() {
        forgotten = asked
        kept = nil
        record = Record(keys: record.keys, latest: clock.now)
        save()
        changed()
    }

    private func nextNumber() -> Int {
        asked += 1
        return asked
    }

    private func save() {
        record.latest = clock.now
        secrets.write("kept", try? JSONEncoder().encode(record))  // cannot fail: texts and dates
    }

    private func changed() {
        ended += 1
        for listener in listeners.values { listener.yield(status) }
        watchEnd()
    }

    private func watchEnd() {
        ending?.cancel()
        guard let end = kept?.nextEnd(after: clock.now) else { return }
        let wait = min(end.timeIntervalSince(clock.now), 86_400)  // no sleep is too long for its nanoseconds
        ending = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(wait))) != nil, let self else { return }  // cancelled
            if clock.now < end { watchEnd() } else { changed() }
        }
    }
}

extension Gatepass {
    /// For SwiftUI previews and tests of an app's views: somebody who has this, and a server that never answers.
    public static func preview(
        tier: String, until: Date = .distantFuture, features: [String] = [], limits: [String: Int] = [:]
    ) -> Gatepass {
        let none = Storage(read: { _ in nil }, write: { _, _ in })
        let server = Service(
            server: URL(fileURLWithPath: "/"), transport: { _ in throw URLError(.notConnectedToInternet) })
        let made = Gatepass(
            service: server, signIn: .token { "" }, bundleID: nil, secrets: none, notes: none)
        let status = Status(
            userID: "preview", at: Date(), active: true, tier: tier, expiresAt: until, accessExpiresAt: until,
            state: "active", features: features, limits: limits, addOns: [])
        made.keep(status, made.nextNumber())
        return made
    }
}
