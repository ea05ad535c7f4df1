import Foundation

/// The reasons why a call has no result. None of them changes what is kept.
public enum GatepassError: Error, Sendable, Equatable {
    /// No network, a time-out, a body that was cut, or an answer that is not Gatepass's.
    case noAnswer
    /// The closure of the sign-in threw, or StoreKit names no Apple account; or the server does not let it in, and says
    /// why: `signed_in_elsewhere` asks for the app's own login.
    case notSignedIn(Problem?)
    /// Ask again after so many seconds: 429 `rate_limited`, 503 `unavailable`, or a proxy that says `Retry-After`.
    case wait(seconds: Int, Problem?)
    /// What StoreKit keeps of the Apple account is too old. Show a button that refreshes it, because Apple asks for the
    /// App Store password then: `refreshAppleAccount()`, or `adopt(ownToken:refreshing:)`.
    case stale(Problem)
    /// Whatever else the server refuses.
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
        case .refused(let problem): problem.retry
        }
    }
}

/// An answer that is not a success (RFC 9457; `api.md`, Problems).
public struct Problem: Sendable, Equatable, Decodable {
    public let status: Int
    /// The server's own text of the code, also of an unknown one.
    public let codeText: String
    let retryText: String?
    /// In seconds.
    public let retryAfter: Int?
    /// The check that failed, beside `evidence_invalid`.
    public let reason: String?
    /// For developers, in English.
    public let detail: String?
    /// By which the server's log has the request.
    public let requestID: String?
    /// Beside `seat_limit_reached`: how many devices may be active, and are.
    public let allowed: Int?
    public let active: Int?

    public var code: Code { Code(rawValue: codeText) ?? .unknown }
    public var retry: Retry { retryText.flatMap { Retry(rawValue: $0) } ?? .never }

    enum CodingKeys: String, CodingKey {
        case status, reason, detail, allowed, active, codeText = "code", retryText = "retry"
        case retryAfter = "retry_after", requestID = "request_id"
    }

    /// When to send the same again (`api.md`, When to finish, when to send again). An unknown value is `never`.
    public enum Retry: String, Sendable {
        case later, never
        case afterSignIn = "after_sign_in"
        case withProof = "with_proof"
    }

    /// The codes that an app may meet; a later server may have more.
    public enum Code: String, Sendable, CaseIterable {
        case headersTooLarge = "headers_too_large"
        case payloadTooLarge = "payload_too_large"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case unauthenticated
        case userIDNotAllowed = "user_id_not_allowed"
        case forbidden
        case rateLimited = "rate_limited"
        case ownLoginRequired = "own_login_required"
        case unsupportedMediaType = "unsupported_media_type"
        case bodyIncomplete = "body_incomplete"
        case invalidRequest = "invalid_request"
        case idempotencyKeyReused = "idempotency_key_reused"
        case idempotencyInProgress = "idempotency_in_progress"
        case evidenceInvalid = "evidence_invalid"
        case wrongApp = "wrong_app"
        case wrongEnvironment = "wrong_environment"
        case signedInElsewhere = "signed_in_elsewhere"
        case stale
        case ownedByAnotherUser = "owned_by_another_user"
        case accountTokenMismatch = "account_token_mismatch"
        case notClaimable = "not_claimable"
        case unknownUnit = "unknown_unit"
        case unknownReservation = "unknown_reservation"
        case unknownDevice = "unknown_device"
        case unknownProduct = "unknown_product"
        case alreadyReleased = "already_released"
        case alreadyCommitted = "already_committed"
        case reservationEnded = "reservation_ended"
        case exceedsReservation = "exceeds_reservation"
        case inDebt = "in_debt"
        case insufficientCredits = "insufficient_credits"
        case tooManyDevices = "too_many_devices"
        case seatLimitReached = "seat_limit_reached"
        case unavailable
        /// None of these: see `codeText`.
        case unknown
    }
}
