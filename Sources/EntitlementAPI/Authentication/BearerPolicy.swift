import Entitlements
import StrictJSON

/// The claims that a user's bearer token must have.
package struct BearerPolicy: Hashable, Sendable {
    /// The tolerated difference between this clock and the login's, in milliseconds.
    static let leeway: Int64 = 60_000

    /// The required `iss`; nil if any issuer will do.
    package let issuer: String?
    /// The required `aud`; nil if any audience will do.
    package let audience: String?
    /// The name of the claim that holds the user id.
    package let userIDClaim: String

    /// True if the user ids are of Apple accounts, false if none may be. A login must not give such an id to a user.
    let namesAppleAccounts: Bool

    package init(
        issuer: String? = nil, audience: String? = nil, userIDClaim: String = "sub", namesAppleAccounts: Bool = false
    ) {
        self.issuer = issuer
        self.audience = audience
        self.userIDClaim = userIDClaim
        self.namesAppleAccounts = namesAppleAccounts
    }

    /// The user that the claims name, and the time in which the token is valid, leeway included.
    ///
    /// - Throws: ``BearerRefusal/invalid(_:)`` if the token is not valid at `now`, and
    ///   ``BearerRefusal/userIDNotAllowed(_:)`` if a valid token has a user id that is not allowed.
    func admission(by claims: JSONValue, at now: Instant) throws(BearerRefusal) -> Admission {
        guard let expires = Self.instant(claims["exp"]) else { throw .invalid("The token has no expiry.") }
        var begin = Instant.distantPast
        for name in ["nbf", "iat"] {
            guard let claim = claims[name], !claim.isNull else { continue }
            guard let instant = Self.instant(claim) else { throw .invalid("The token's dates cannot be read.") }
            begin = max(begin, instant)
        }
        if let issuer, !(claims["iss"]?.string?.utf8.elementsEqual(issuer.utf8) ?? false) {
            throw .invalid("The token is of another issuer.")
        }
        if let audience, !Self.audiences(claims["aud"]).contains(where: { $0.utf8.elementsEqual(audience.utf8) }) {
            throw .invalid("The token is for another audience.")
        }
        let (validFrom, validUntil) = (begin + -Self.leeway, expires + Self.leeway)
        try Admission.require(now, from: validFrom, until: validUntil)
        return Admission(user: try user(in: claims[userIDClaim]), validFrom: validFrom, validUntil: validUntil)
    }

    /// - Throws: ``BearerRefusal/userIDNotAllowed(_:)``.
    private func user(in claim: JSONValue?) throws(BearerRefusal) -> UserID {
        guard let text = claim?.string ?? claim?.integer else {
            throw .userIDNotAllowed("The claim of the user id is missing, or neither a text nor a whole number.")
        }
        guard let user = UserID(text) else {
            throw .userIDNotAllowed(UserID.defect(of: text) ?? "The token names no user.")
        }
        guard user.isAppleAccount == namesAppleAccounts else {
            throw .userIDNotAllowed("User ids that begin with \(UserID.appleMark) stand for Apple accounts.")
        }
        return user
    }

    /// The texts of `aud`, which is one text or a possibly empty list of texts (RFC 7519 §4.1.3).
    private static func audiences(_ claim: JSONValue?) -> [String] {
        if let one = claim?.string { return [one] }
        return claim?.elements?.compactMap(\.string) ?? []
    }

    /// The instant of a NumericDate: seconds since 1970, perhaps with a fraction (RFC 7519 §2).
    private static func instant(_ claim: JSONValue?) -> Instant? {
        guard let text = claim?.number, let seconds = Double(text), seconds.isFinite else { return nil }
        let limit = Double(Instant.distantFuture.milliseconds)
        return Instant(milliseconds: Int64(min(max(seconds * 1000, -limit), limit)))
    }
}

/// The user that a token names, and the time in which it is valid.
struct Admission: Hashable, Sendable {
    let user: UserID
    let validFrom: Instant
    /// The first instant at which the token is not valid any more.
    let validUntil: Instant

    /// The user, if the token is valid at `now`.
    ///
    /// - Throws: ``BearerRefusal/invalid(_:)`` if the token is not valid yet or has expired.
    func user(at now: Instant) throws(BearerRefusal) -> UserID {
        try Self.require(now, from: validFrom, until: validUntil)
        return user
    }

    /// - Throws: ``BearerRefusal/invalid(_:)`` outside the time from `validFrom` to `validUntil`.
    static func require(
        _ now: Instant, from validFrom: Instant, until validUntil: Instant
    ) throws(BearerRefusal) {
        guard now < validUntil else { throw .invalid("The token has expired.") }
        guard now >= validFrom else { throw .invalid("The token is not valid yet.") }
    }
}
