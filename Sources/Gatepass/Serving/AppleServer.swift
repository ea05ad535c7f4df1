import AppStore
import AsyncHTTPClient
import EntitlementAPI
import Entitlements
import Foundation
import JWTKit
import LedgerStore
import Logging
import NIOCore
import NIOHTTP1

/// The App Store Server API over HTTP (`apple.md` §10), asked no faster than this server's own rate.
struct AppleServer: AppStoreServer {
    /// The addresses that Apple recommends (`apple.md` §10.1).
    private static let addresses: [StoreEnvironment: String] = [
        .production: "https://api.storekit.apple.com", .sandbox: "https://api.storekit-sandbox.apple.com",
    ]
    private static let maximumAnswer = 1 << 20
    /// The time-out of one question. Apple may take long, but a job's lease lasts for sixty seconds.
    private static let deadline = Duration.seconds(20)

    private let client: HTTPClient
    private let credentials: Settings.Apple.Credentials
    private let keys: JWTKeyCollection
    /// The base address of an environment; nil where nobody answers yet.
    private let address: @Sendable (StoreEnvironment) -> String?
    private let store: StoreDoor
    private let metrics: ServerMetrics
    private let logger: Logger
    private let pace: ApplePace

    /// Throws `ServerFiles.Unusable` if the private key cannot be used.
    ///
    /// - Parameter simulated: The installation of a development server, whose simulated store is asked where no other
    ///   address is set.
    init(
        _ settings: Settings.Apple, _ credentials: Settings.Apple.Credentials, files: ServerFiles, client: HTTPClient,
        simulated: Installation?, store: StoreDoor, pace: ApplePace, metrics: ServerMetrics, logger: Logger
    ) async throws {
        let pem = try files.text(credentials.privateKeyFile, "apple.private_key_file:")
        guard let key = try? ES256PrivateKey(pem: pem) else {  // the message names the file, and never its content
            throw ServerFiles.Unusable(
                description: "apple.private_key_file: \(credentials.privateKeyFile) is no private key of P-256 in PEM: "
                    + "name the .p8 file of App Store Connect")
        }
        keys = await JWTKeyCollection().add(ecdsa: key, kid: JWKIdentifier(string: credentials.keyID))
        let own = [
            StoreEnvironment.production: settings.apiBaseURL, .sandbox: settings.sandboxAPIBaseURL,
        ].compactMapValues { $0?.text }.mapValues { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        address = { environment in
            own[environment]
                ?? (simulated == nil ? Self.addresses[environment] : simulated?.appStoreAddress(environment))
        }
        self.client = client
        self.credentials = credentials
        self.store = store
        self.pace = pace
        self.metrics = metrics
        self.logger = logger
    }

    /// Asks Apple, and keeps the pauses that Apple asks for.
    ///
    /// - Throws: ``AppStoreServerFailure``.
    func ask(
        _ question: AppStoreQuestion, about app: AppID, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> [UInt8] {
        try await wait(for: question, in: environment)
        let result: Result<[UInt8], AppStoreServerFailure>
        do throws(AppStoreServerFailure) {
            result = .success(try await answer(to: question, about: app, in: environment))
        } catch {
            result = .failure(error)
        }
        var failure: AppStoreServerFailure?
        if case .failure(let reason) = result { failure = reason }
        // An exchange that was cut off because its caller left says nothing about Apple.
        if let failure, Task.isCancelled { throw failure }
        await pace.note(failure, in: environment, at: Surroundings.now())
        metrics.asked(question, in: environment, failure)
        switch failure {
        case .paused(let end):
            // While the database is away, `try?` leaves the pause to this instance alone.
            try? await store().pauses.pause(environment, until: end)
        case .keyNotAccepted:
            let clock = await pace.lead.flatMap { Self.fault(ofClock: $0) }
            logger.error("\(clock ?? "Apple does not accept the key of apple.key_id"): questions wait until it does")
        case .unreachable, .refused, .unreadable, nil: break
        }
        return try result.get()
    }

    /// Waits until a question may be asked.
    ///
    /// - Throws: `.paused` where that takes too long, or if Apple wants no questions.
    private func wait(
        for question: AppStoreQuestion, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) {
        // While the database is away, `try?` keeps only the pauses of this instance.
        if let end = try? await store().pauses.end(in: environment) { await pace.pause(environment, until: end) }
        let wait = try await pace.place(for: question, in: environment, at: Surroundings.now())
        do {
            try await Task.sleep(for: .milliseconds(wait))
        } catch {
            throw .unreachable("its caller left")
        }
        try await pace.admit(in: environment, at: Surroundings.now())
    }

    /// The fault of this machine's clock, if Apple refuses tokens because of it.
    ///
    /// - Parameter lead: The clock's lead over Apple's in milliseconds, known to a few seconds.
    static func fault(ofClock lead: Int64) -> String? {
        let tolerance: Int64 = 5_000
        let accepted = -Int64(tokenSeconds * 1_000) + tolerance...Int64(tokenAge * 1_000) - tolerance
        guard !accepted.contains(lead), let words = difference(lead) else { return nil }
        return "Apple does not accept tokens, because this machine's clock is \(words)"
    }

    /// The difference of the clocks in words, `2m behind Apple's`; nil for none.
    static func difference(_ lead: Int64) -> String? {
        Span(milliseconds: abs(lead)).map { "\($0.text) \(lead > 0 ? "ahead of" : "behind") Apple's" }
    }

    /// The instant of a `Date` field (RFC 9110 §5.6.7); nil for another text.
    static func instant(_ date: String) -> Instant? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: date).map { Instant(milliseconds: Int64($0.timeIntervalSince1970) * 1_000) }
    }

    private func answer(
        to question: AppStoreQuestion, about app: AppID, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> [UInt8] {
        guard let address = address(environment) else { throw .unreachable("nobody listens yet") }
        let (head, body): (HTTPClientResponse, ByteBuffer)
        do {
            var request = HTTPClientRequest(url: address + question.path)
            request.method = HTTPMethod(rawValue: question.method)
            if let body = question.body {
                request.headers.add(name: "Content-Type", value: "application/json")
                request.body = .bytes(body)
            }
            request.headers.add(name: "Authorization", value: "Bearer \(try await token(for: app))")
            let before = Surroundings.now()
            (head, body) = try await client.exchange(request, within: Self.deadline, upTo: Self.maximumAnswer)
            if let date = head.headers.first(name: "Date").flatMap({ Self.instant($0) }) {
                await pace.note(date: date, between: before, and: Surroundings.now())
            }
        } catch {
            throw .unreachable("\(error)")
        }
        guard head.status == .ok || head.status == .accepted else {
            throw AppStoreServerFailure(
                status: Int(head.status.code), retryAfter: head.headers.first(name: "Retry-After"),
                body: Array(buffer: body), at: Surroundings.now())
        }
        return Array(buffer: body)
    }

    /// The life of a token in seconds.
    private static let tokenSeconds: TimeInterval = 300
    /// The age in seconds that a new token claims: Apple refuses one that is dated ahead of its own clock.
    private static let tokenAge: TimeInterval = 60

    private func token(for app: AppID) async throws -> String {
        let now = Date()
        return try await keys.sign(
            AppleToken(
                iss: credentials.issuerID, iat: .init(value: now.addingTimeInterval(-Self.tokenAge)),
                exp: .init(value: now.addingTimeInterval(Self.tokenSeconds)), aud: AppleToken.audience, bid: app.text),
            kid: JWKIdentifier(string: credentials.keyID))
    }
}

/// The claims of a question's token (`apple.md` §10.2).
struct AppleToken: JWTPayload {
    static let audience = "appstoreconnect-v1"

    let iss: String
    /// Nil in tokens of Apple's own library for Python; Apple takes those too.
    let iat: IssuedAtClaim?
    let exp: ExpirationClaim
    let aud: String
    let bid: String

    /// Throws for a token that is too old or for another API.
    func verify(using algorithm: some JWTAlgorithm) throws {
        try exp.verifyNotExpired()
        guard aud == Self.audience else {
            throw JWTError.claimVerificationFailure(failedClaim: nil, reason: "aud is not \(Self.audience)")
        }
    }
}
