import AppStore
import Entitlements
import HTTPTypes

/// Where refusals and failures become problems; nowhere else does.
extension Problem {
    /// Evidence that the verifier refused.
    init(_ refusal: EvidenceError) {
        self.init(Self.code(of: refusal), refusal.detail)
        if code == .evidenceInvalid { reason = refusal.reason.rawValue }
    }

    /// A genuine purchase that does not become this user's.
    init(_ refusal: AttachRefusal) {
        switch refusal {
        case .ownedByAnotherUser: self.init(.ownedByAnotherUser, "Another user of this app has this purchase.")
        case .accountTokenMismatch: self.init(.accountTokenMismatch, "The purchase names another user's account token.")
        case .notClaimable:
            self.init(.notClaimable, "The purchase can be claimed only by the Apple account that made it.")
        }
    }

    /// What the server stands on is away.
    init(_ failure: ServiceFailure) {
        switch failure {
        case .unavailable(let seconds):
            self = .unavailable("The database cannot be reached.", retryAfterSeconds: seconds)
        }
    }

    /// Apple could not be asked whether a certificate was revoked.
    init(_: RevocationUnavailable) {
        self = .unavailable("Apple cannot be asked about its certificates.", retryAfterSeconds: 30)
    }

    /// Somebody who did not show who they are (RFC 6750 §3).
    init(_ refusal: BearerRefusal) {
        switch refusal {
        case .missing:
            self.init(.unauthenticated, "The request has no bearer token.")
            fields[.wwwAuthenticate] = "Bearer realm=\"gatepass\""
        case .invalid(let detail):
            self.init(.unauthenticated, detail)
            fields[.wwwAuthenticate] =
                "Bearer realm=\"gatepass\", error=\"invalid_token\", error_description=\"\(detail)\""
        case .keysUnavailable:
            self = .unavailable("The keys of the login cannot be fetched.", retryAfterSeconds: 30)
        }
    }

    /// A user who asked too often (RFC 6585 §4 and the RateLimit fields).
    init(_ verdict: RateLimiter.Exceeded) {
        self.init(.rateLimited, "At most \(verdict.limit) requests of this kind are answered per minute.")
        fields[.retryAfter] = String(verdict.retryAfterSeconds)
        fields[.rateLimitLimit] = String(verdict.limit)
        fields[.rateLimitRemaining] = "0"
        fields[.rateLimitReset] = String(verdict.retryAfterSeconds)
    }

    /// The code under which a verdict of a restore names the refusal.
    static func code(of refusal: EvidenceError) -> ProblemCode {
        switch refusal.reason {
        case .wrongApp: .wrongApp
        case .wrongEnvironment: .wrongEnvironment
        case .malformed, .unsupportedAlgorithm, .certificateCount, .certificateMalformed, .chainUntrusted,
            .chainExpired,
            .missingAppleMarker, .signatureMismatch, .payloadMalformed, .signedDateOutOfRange, .wrongPayloadKind:
            .evidenceInvalid
        }
    }
}

extension HTTPField.Name {
    static let rateLimitLimit = known("RateLimit-Limit")
    static let rateLimitRemaining = known("RateLimit-Remaining")
    static let rateLimitReset = known("RateLimit-Reset")
    static let requestID = known("X-Request-Id")

    /// A name of ours; it is a token, so the standard name beside it is never used.
    private static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .retryAfter }
}
