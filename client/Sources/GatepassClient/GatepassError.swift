/// The reasons why a call has no result. None of them changes what is kept.
public enum GatepassError: Error, Sendable, Equatable {
    /// No network, a time-out, a body that was cut, an answer that is not Gatepass's; or the app's login had none.
    case noAnswer
    /// Nobody is signed in, or StoreKit names no Apple account; or the server does not let it in, and says why:
    /// `signedInElsewhere` asks for the app's own login.
    case notSignedIn(Problem?)
    /// Ask again after so many seconds: 429 `rateLimited`, 503 `unavailable`, or a proxy that says `Retry-After`.
    case wait(seconds: Int, Problem?)
    /// StoreKit's text of the Apple account is too old. Show a button that refreshes it, because Apple asks for the App
    /// Store password then: `refreshAppleAccount()`, or `adopt(ownToken:refreshing:)`.
    case stale(Problem)
    /// Any other refusal of the server's.
    case refused(Problem)

    /// The server's answer, if there was one.
    public var problem: Problem? {
        switch self {
        case .noAnswer: nil
        case .wait(_, let problem), .notSignedIn(let problem): problem
        case .stale(let problem), .refused(let problem): problem
        }
    }

    /// When to send the same again.
    public var retry: Problem.Retry {
        switch self {
        case .noAnswer, .wait: .later
        case .notSignedIn, .stale: .afterSignIn
        case .refused(let problem): problem.retry ?? .never
        }
    }
}

/// An answer that is not a success (RFC 9457; `api.md`, Problems).
public struct Problem: Sendable, Equatable, Decodable {
    public let status: Int
    public let code: Code
    /// The code in the server's own spelling, also of an unknown one: `urn:gatepass:problem:` and the code.
    public let type: String?
    public let retry: Retry?
    /// In seconds.
    public let retryAfter: Int?
    /// The check that failed, beside `evidenceInvalid`.
    public let reason: String?
    /// For developers, in English.
    public let detail: String?
    /// By which the server's log has the request.
    public let requestID: String?
    /// Beside `seatLimitReached`: how many devices may be active, and are.
    public let allowed: Int?
    public let active: Int?

    /// When to send the same again (`api.md`, When to finish, when to send again). An unknown value is `never`.
    public enum Retry: String, Sendable, Decodable {
        case later, afterSignIn, withProof, never

        public init(from decoder: any Decoder) throws {
            self = Retry(rawValue: camelCase(try String(from: decoder))) ?? .never
        }
    }

    /// The codes that an app may meet, in the order of `api.md`; a later server may have more, which are `unknown`.
    public enum Code: String, Sendable, CaseIterable, Decodable {
        case headersTooLarge, payloadTooLarge, notFound, methodNotAllowed, unauthenticated, userIDNotAllowed, forbidden
        case rateLimited, ownLoginRequired, unsupportedMediaType, bodyIncomplete, invalidRequest, idempotencyKeyReused
        case idempotencyInProgress, evidenceInvalid, wrongApp, wrongEnvironment, signedInElsewhere, stale
        case ownedByAnotherUser, accountTokenMismatch, notClaimable, unknownUnit, unknownReservation, unknownDevice
        case unknownProduct, alreadyReleased, alreadyCommitted, reservationEnded, exceedsReservation, inDebt
        case insufficientCredits, tooManyDevices, seatLimitReached, unavailable
        case unknown

        public init(from decoder: any Decoder) throws {
            self = Code(rawValue: camelCase(try String(from: decoder))) ?? .unknown
        }
    }
}
