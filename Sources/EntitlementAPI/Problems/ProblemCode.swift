package import HTTPTypes

/// What went wrong, as clients tell it apart; stable, in order of precedence. `api.md` says what a client should do.
package enum ProblemCode: String, Hashable, Sendable, CaseIterable {
    case headersTooLarge = "headers_too_large"
    case payloadTooLarge = "payload_too_large"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case unauthenticated
    case forbidden
    case rateLimited = "rate_limited"
    case unsupportedMediaType = "unsupported_media_type"
    case invalidRequest = "invalid_request"
    case evidenceInvalid = "evidence_invalid"
    case wrongApp = "wrong_app"
    case wrongEnvironment = "wrong_environment"
    case ownedByAnotherUser = "owned_by_another_user"
    case accountTokenMismatch = "account_token_mismatch"
    case notClaimable = "not_claimable"
    case unavailable

    package var status: HTTPResponse.Status {
        switch self {
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .payloadTooLarge: .contentTooLarge
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unauthenticated: .unauthorized
        case .forbidden: .forbidden
        case .rateLimited: .tooManyRequests
        case .unsupportedMediaType: .unsupportedMediaType
        case .invalidRequest: .badRequest
        case .evidenceInvalid, .wrongApp, .wrongEnvironment: .unprocessableContent
        case .ownedByAnotherUser, .accountTokenMismatch, .notClaimable: .conflict
        case .unavailable: .serviceUnavailable
        }
    }

    /// The same for every occurrence (RFC 9457 §3.1.3).
    package var title: String {
        switch self {
        case .headersTooLarge: "The request's header is too large."
        case .payloadTooLarge: "The request is too large."
        case .notFound: "There is nothing here."
        case .methodNotAllowed: "The method is not allowed here."
        case .unauthenticated: "A valid bearer token is required."
        case .forbidden: "The token does not allow this."
        case .rateLimited: "There were too many requests."
        case .unsupportedMediaType: "The body must be JSON."
        case .invalidRequest: "The request is not valid."
        case .evidenceInvalid: "The signed data is not genuine."
        case .wrongApp: "The signed data is another app's."
        case .wrongEnvironment: "The signed data is of an environment that is not accepted."
        case .ownedByAnotherUser: "The purchase belongs to another user."
        case .accountTokenMismatch: "The purchase was made for another user."
        case .notClaimable: "The purchase cannot be claimed."
        case .unavailable: "The service is not available at the moment."
        }
    }
}
