import Foundation
import Observation

/// The passes, features and limits of this app's user, from a Gatepass server: one for the whole app, from its start.
///
/// A kept answer is changed by three things: a 200 to a request that began after the one that it answers, a genuine
/// offline token, and a sign-out. No fault of network or server ends it.
@MainActor @Observable
public final class Gatepass {
    /// The way in which the server learns who is asking. Another user's answers replace those of the one before.
    @ObservationIgnored public var signIn: SignIn
    @ObservationIgnored let bundleID: String?
    @ObservationIgnored let service: Service
    @ObservationIgnored let device: Surroundings
    @ObservationIgnored var deliveries: [String: Task<Delivery, Never>] = [:]

    private var kept: Kept?
    @ObservationIgnored private(set) var record = Record()
    @ObservationIgnored private var isLoaded = false
    @ObservationIgnored private var clock: TrustedClock
    /// The number of the last request, and that of the last sign-out: what began before it is not looked at.
    @ObservationIgnored private var lastNumber = 0
    @ObservationIgnored private var signedOutAt = 0
    @ObservationIgnored private var keysFetched = Date.distantPast
    @ObservationIgnored private(set) var renewal: Task<Void, Never>?
    @ObservationIgnored private var ending: Task<Void, Never>?
    @ObservationIgnored private var listeners: [AsyncStream<Status?>.Continuation] = []

    /// `bundleID` is the app's in the catalogue: an extension names its app's. Without one no offline token is kept.
    public convenience init(server: URL, signIn: SignIn, bundleID: String? = Bundle.main.bundleIdentifier) {
        self.init(
            service: Service(server: server), signIn: signIn, bundleID: bundleID,
            device: Surroundings(secrets: .secrets(of: server), notes: .defaults(of: server)))
    }

    init(service: Service, signIn: SignIn, bundleID: String?, device: Surroundings) {
        (self.service, self.signIn, self.bundleID, self.device) = (service, signIn, bundleID, device)
        clock = TrustedClock(date: device.date())
        try? load()  // a locked device's is read before the first request
    }

    // MARK: What the user has

    /// The part of the kept answer that counts now; nil where nothing is known: ask with `refresh()`.
    public var status: Status? { kept?.counting(at: clock.now)?.status }

    /// True where anything is covered now.
    public var isActive: Bool { status?.active ?? false }

    /// True where this feature is open now.
    public func has(_ feature: String) -> Bool { status?.features.contains(feature) ?? false }

    /// The limit now, perhaps `Status.unlimited`; nil where the catalogue has none of this name, or nothing is known:
    /// then use the app's smallest.
    public func limit(_ name: String) -> Int? { status?.limit(name) }

    /// The status now, at once, and then each that comes, or that an end leaves.
    public var updates: AsyncStream<Status?> {
        let (stream, listener) = AsyncStream.makeStream(of: Status?.self, bufferingPolicy: .bufferingNewest(1))
        listener.yield(status)
        listeners.append(listener)
        return stream
    }

    /// Asks for the status, and for an offline token: at the start, and on return to the foreground. Where this throws,
    /// what is kept counts on.
    @discardableResult
    public func refresh() async throws(GatepassError) -> Status {
        do throws(GatepassError) {
            let status: Status = try await call(Request(path: "/api/iap/apple/status"), keeping: keep)
            await renewal?.value
            return status
        } catch {
            save()  // the time that was seen
            throw error
        }
    }

    /// The person has signed out: everything of theirs is forgotten, and answers under way are not looked at.
    public func signOut() {
        record.session = nil
        forget()
    }

    /// Moves everything of the Apple account to the user of the app's own login, once and for good. `ownToken` is the
    /// bearer from then on: set `signIn` to what gives a new one each time.
    public func adopt(ownToken: String, appTransaction: String) async throws(GatepassError) {
        struct Answer: Decodable { let status: Status }
        try load()
        let begun = nextNumber()
        let request = Request.post("/api/iap/apple/adopt", ["signedAppTransaction": appTransaction])
        let answer: Answer = try await service.answer(to: request, bearer: ownToken)
        guard begun > signedOutAt else { return }
        signOut()
        signIn = .token { ownToken }
        record.subject = unverifiedClaim("sub", of: ownToken)
        keep(answer.status, number: nextNumber())
    }

    // MARK: Asking

    /// The answer to a request of the user's. `keeping` is told it and the request's number, unless the person has
    /// signed out meanwhile.
    func call<Answer: Decodable & Sendable>(
        _ request: Request, keeping keep: (Answer, Int) -> Void = { _, _ in }, isRepeated: Bool = false
    ) async throws(GatepassError) -> Answer {
        try load()
        let bearer = try await bearer()
        let number = nextNumber()
        do throws(GatepassError) {
            let answer: Answer = try await service.answer(to: request, bearer: bearer)
            if number > signedOutAt { keep(answer, number) }
            return answer
        } catch {
            // An Apple account's token that counts no more: sign in again, once, but where another call has.
            guard error.problem?.code == .unauthenticated, record.session != nil, !isRepeated else { throw error }
            if record.session?.token == bearer { record.session = nil }
            return try await call(request, keeping: keep, isRepeated: true)
        }
    }

    private func bearer() async throws(GatepassError) -> String {
        let before = signedOutAt
        let token: String?
        switch signIn {
        case .token(let own):
            do { token = try await own() } catch { throw .noAnswer }
        case .appTransaction(let own):
            let text = try? await own()  // not to be had: the token that is kept counts on
            if let session = record.session, session.expiresAt > clock.now + 3_600,
                text.map({ session.account == Session.account(of: $0) }) ?? true
            {
                token = session.token
            } else {
                token = if let text { try await session(with: text).token } else { nil }
            }
        }
        guard let token else { throw .notSignedIn(nil) }
        let subject = unverifiedClaim("sub", of: token)
        // The token may be of somebody who has signed out while it was made.
        guard before == signedOutAt || subject != nil && subject == record.subject else { throw .notSignedIn(nil) }
        if let subject, subject != record.subject {
            if record.subject != nil { forget() }
            record.subject = subject
            save()
        }
        return token
    }

    /// Signs in with what StoreKit says of the Apple account.
    @discardableResult
    func session(with appTransaction: String) async throws(GatepassError) -> Session {
        struct Answer: Decodable {
            let token: String
            let expiresAt: Date
        }
        let request = Request.post("/api/iap/apple/sign-in", ["signedAppTransaction": appTransaction])
        let answer: Answer = try await service.answer(to: request)
        let session = Session(
            account: Session.account(of: appTransaction), token: answer.token, expiresAt: answer.expiresAt)
        record.session = session
        save()
        return session
    }

    // MARK: What is kept

    /// Keeps a status, unless a newer one is kept. After a refund of everything the offline token goes, too.
    func keep(_ status: Status, number: Int) {
        // An answer that came while this request was under way may be the newer one: a third one decides.
        if let kept, number <= kept.heard { Task { try? await refresh() } }  // as one that the app asks for
        guard kept?.isOlder(than: status, number: number) ?? true else { return }
        clock = TrustedClock(date: status.at)
        if record.user != status.userID || status.givesNothing { record.token = nil }
        record.user = status.userID
        show(Kept(status: status, number: number, heard: lastNumber))
        save()
        renewal = Task { [before = renewal] in
            await before?.value  // one after the other, so that the keys are fetched once
            try? await renewToken()  // the one that is kept counts until its end
        }
    }

    private func renewToken() async throws(GatepassError) {
        struct Answer: Decodable { let token: String }
        guard let bundleID, let newest = kept?.number else { return }
        let path = "/api/iap/entitlement-token?bundle_id=\(bundleID.escaped)"
        let answer: Answer = try await call(Request(path: path))
        var keys = record.keys
        if verified(answer.token, keys) == nil, clock.now > keysFetched + 60 {
            keysFetched = clock.now
            keys = try await service.answer(to: Request(path: "/.well-known/jwks.json"))
        }
        // Keys that do not verify it would take the kept token away; and a newer answer has a token of its own.
        guard verified(answer.token, keys) != nil else { return }
        record.keys = keys
        if kept?.number == newest { record.token = answer.token }
        save()
    }

    private func verified(_ token: String, _ keys: OfflineToken.KeySet) -> OfflineToken? {
        guard let user = record.user, let bundleID else { return nil }
        // The refusal is of no interest: it has ended, most often.
        return try? .verified(token, keys: keys, user: user, bundleID: bundleID, now: clock.now)
    }

    /// Reads what an earlier start kept. Throws where the device is locked: nothing is asked then, and nothing kept,
    /// which would take its place.
    private func load() throws(GatepassError) {
        if isLoaded { return }
        let data: Data?
        do { data = try device.secrets.read("kept") } catch { throw .noAnswer }
        isLoaded = true
        // A record of another version is as if there were none.
        guard let data, let stored = try? JSONDecoder().decode(Record.self, from: data) else { return }
        record = stored
        clock = TrustedClock(date: max(device.date(), stored.latest))
        guard let token = stored.token, let claims = verified(token, stored.keys) else { return }
        show(Kept(status: claims.status, endsAt: claims.endsAt))
    }

    private func save() {
        record.latest = clock.now
        guard isLoaded, let data = try? JSONEncoder().encode(record) else { return }  // cannot fail: texts and dates
        device.secrets.write("kept", data)
    }

    private func forget() {
        signedOutAt = nextNumber()
        record = Record(keys: record.keys, session: record.session)
        show(nil)
        save()
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Tells views and listeners what counts from now on, and again when something of it ends.
    private func show(_ answer: Kept?) {
        kept = answer?.counting(at: clock.now)
        listeners.removeAll { if case .terminated = $0.yield(kept?.status) { true } else { false } }
        ending?.cancel()
        guard let end = kept?.nextEnd(after: clock.now) else { return }
        let wait = min(end.timeIntervalSince(clock.now), 86_400)  // no sleep is too long for its nanoseconds
        ending = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(wait))) != nil, let self else { return }  // cancelled
            show(kept)
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
            service: server, signIn: .token { "" }, bundleID: nil, device: Surroundings(secrets: none, notes: none))
        let status = Status(
            userID: "preview", at: Date(), active: true, tier: tier, expiresAt: until, accessExpiresAt: until,
            state: "active", features: features, limits: limits, addOns: [])
        made.keep(status, number: made.nextNumber())
        return made
    }
}
