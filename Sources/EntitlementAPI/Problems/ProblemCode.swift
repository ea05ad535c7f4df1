package import HTTPTypes

/// The code of a problem, by which clients tell problems apart; stable, in order of precedence. `api.md` says what a
/// client should do.
package enum ProblemCode: String, Hashable, Sendable, CaseIterable {
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
    case unknownPurchase = "unknown_purchase"
    case unknownGrant = "unknown_grant"
    case unknownGuest = "unknown_guest"
    case unknownTier = "unknown_tier"
    case unknownProduct = "unknown_product"
    case sameUser = "same_user"
    case notAnAddOn = "not_an_add_on"
    case ambiguousProduct = "ambiguous_product"
    case ambiguousPurchase = "ambiguous_purchase"
    case alreadyReleased = "already_released"
    case alreadyCommitted = "already_committed"
    case reservationEnded = "reservation_ended"
    case exceedsReservation = "exceeds_reservation"
    case inDebt = "in_debt"
    case insufficientCredits = "insufficient_credits"
    case tooManyDevices = "too_many_devices"
    case seatLimitReached = "seat_limit_reached"
    case notEndedBeforeAttached = "not_ended_before_attached"
    case unavailable

    package var status: HTTPResponse.Status {
        switch self {
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .payloadTooLarge: .contentTooLarge
        case .notFound, .unknownUnit, .unknownReservation, .unknownDevice, .unknownPurchase, .unknownGrant,
            .unknownGuest, .unknownTier, .unknownProduct:
            .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .unauthenticated: .unauthorized
        case .userIDNotAllowed, .forbidden, .ownLoginRequired: .forbidden
        case .rateLimited: .tooManyRequests
        case .unsupportedMediaType: .unsupportedMediaType
        case .bodyIncomplete, .invalidRequest: .badRequest
        case .evidenceInvalid, .wrongApp, .wrongEnvironment, .stale, .idempotencyKeyReused, .sameUser, .notAnAddOn,
            .ambiguousProduct, .ambiguousPurchase:
            .unprocessableContent
        case .idempotencyInProgress, .signedInElsewhere, .ownedByAnotherUser, .accountTokenMismatch, .notClaimable,
            .alreadyReleased, .alreadyCommitted,
            .reservationEnded, .exceedsReservation, .inDebt, .insufficientCredits, .tooManyDevices, .seatLimitReached,
            .notEndedBeforeAttached:
            .conflict
        case .unavailable: .serviceUnavailable
        }
    }

    /// The title, the same for every occurrence (RFC 9457 §3.1.3).
    package var title: String {
        switch self {
        case .headersTooLarge: "The request's header is too large."
        case .payloadTooLarge: "The request is too large."
        case .notFound: "There is nothing here."
        case .methodNotAllowed: "The method is not allowed here."
        case .unauthenticated: "A valid bearer token is required."
        case .userIDNotAllowed: "The user id is of no form that is taken here."
        case .forbidden: "The token does not allow this."
        case .ownLoginRequired: "A token of the app's own login is required."
        case .rateLimited: "There were too many requests."
        case .unsupportedMediaType: "The body must be JSON."
        case .bodyIncomplete: "The request broke off."
        case .invalidRequest: "The request is not valid."
        case .idempotencyKeyReused: "The idempotency key stands for another request."
        case .idempotencyInProgress: "The same request is being carried out."
        case .evidenceInvalid: "The signed data is not genuine."
        case .wrongApp: "The signed data is of none of this server's apps."
        case .wrongEnvironment: "The signed data is of an environment that is not accepted."
        case .signedInElsewhere: "The Apple account stands for another user."
        case .stale: "The signed data was made too long ago."
        case .ownedByAnotherUser: "The purchase belongs to another user."
        case .accountTokenMismatch: "The purchase was made for another user."
        case .notClaimable: "The purchase cannot be claimed."
        case .unknownUnit: "There are no such credits."
        case .unknownReservation: "There is no such reservation."
        case .unknownDevice: "There is no such device."
        case .unknownPurchase: "The user has no such purchase."
        case .unknownGrant: "The user has no such grant."
        case .unknownGuest: "There is no such guest."
        case .unknownTier: "There is no such tier."
        case .unknownProduct: "There is no such product."
        case .sameUser: "Both users are the same."
        case .notAnAddOn: "The product is no add-on."
        case .ambiguousProduct: "Several apps sell this product."
        case .ambiguousPurchase: "The user has several purchases of this id."
        case .alreadyReleased: "The reservation was released."
        case .alreadyCommitted: "The reservation was committed."
        case .reservationEnded: "The reservation has ended."
        case .exceedsReservation: "This is more than was reserved."
        case .inDebt: "The user is in debt."
        case .insufficientCredits: "There are not enough credits."
        case .tooManyDevices: "Too many devices are on record."
        case .seatLimitReached: "All seats are taken."
        case .notEndedBeforeAttached: "There is nothing to make good."
        case .unavailable: "The service is not available at the moment."
        }
    }
}
