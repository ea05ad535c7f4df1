import AppStore
package import Entitlements
import HTTPTypes
import LedgerStore

/// The only place where refusals and failures become problems.
extension Problem {
    /// The problem of evidence that the verifier refused.
    ///
    /// - Parameters:
    ///   - proof: The proof beside a receipt, which may stand in for Apple's word.
    ///   - detail: The words, where the refusal's own are not the best.
    init(_ refusal: EvidenceError, proof: Retry.Proof = .notTaken, detail: String? = nil) {
        let code = Self.code(of: refusal)
        self.init(code, detail ?? refusal.detail, retry: Retry(after: code, refusal, proof: proof))
        if code == .evidenceInvalid { reason = refusal.reason.rawValue }
        guard let ahead = refusal.millisecondsAhead else { return }
        fields[.retryAfter] = String(Retry.seconds(untilInRange: ahead))
    }

    /// The problem of a genuine purchase that is not attached to this user.
    init(_ refusal: AttachRefusal, proof: Retry.Proof) {
        let (code, detail): (ProblemCode, String) =
            switch refusal {
            case .ownedByAnotherUser:
                (.ownedByAnotherUser, "Another user of this app has, or had, this purchase.")
            case .accountTokenMismatch:
                (.accountTokenMismatch, "The purchase names another user's account token.")
            case .notClaimable:
                (
                    .notClaimable,
                    "Nobody has the purchase, and the server's rule for such purchases does not give it to this user. "
                        + "A signedAppTransaction of the Apple account that bought it proves whose it is."
                )
            }
        self.init(code, detail, retry: Retry(after: code, proof: proof))
    }

    /// The problem of a genuine app transaction that signs nobody in, or is not adopted.
    init(_ refusal: AppleAccountRefusal) {
        switch refusal {
        case .ownLoginRequired:
            self.init(.ownLoginRequired, "An Apple account's own user adopts none: sign in by the app's login.")
        case .revoked:
            self.init(.evidenceInvalid, "Apple took this download of the app back.")
            reason = "revoked"
        case .noAppleAccount:
            self.init(.evidenceInvalid, "The text has no appTransactionId: the device's system is too old.")
            reason = "no_apple_account"
        case .signedInElsewhere:
            self.init(.signedInElsewhere, "Sign in as the user to whom the Apple account was given.")
        case .stale: self.init(.stale, "Have StoreKit make a new text with AppTransaction.refresh(), and send that.")
        }
    }

    // MARK: Credits

    /// The problem of a spend or reservation that was refused.
    package init(_ refusal: DrawRefusal) {
        switch refusal {
        case .keyReused:
            self.init(.idempotencyKeyReused, "The user's Idempotency-Key came before with another request.")
        case .unknownUnit: self.init(.unknownUnit, "Nothing that is sold credits this unit.")
        case .inDebt: self.init(.inDebt, "A refund took credits that were spent; the next credits repay it.")
        case .insufficientCredits: self.init(.insufficientCredits, "Fewer credits are spendable.")
        }
    }

    /// The problem of a refused commit.
    init(_ refusal: CommitRefusal) {
        switch refusal {
        case .unknownReservation: self = .unknownReservation
        case .alreadyReleased: self.init(.alreadyReleased, "The reservation was released before.")
        case .alreadyCommitted: self.init(.alreadyCommitted, "The reservation was committed with another amount.")
        case .reservationEnded: self.init(.reservationEnded, "The reservation's deadline has passed.")
        case .exceedsReservation: self.init(.exceedsReservation, "Fewer credits were reserved.")
        }
    }

    /// The problem of a refused release.
    init(_ refusal: ReleaseRefusal) {
        switch refusal {
        case .unknownReservation: self = .unknownReservation
        case .alreadyCommitted: self.init(.alreadyCommitted, "The reservation was committed before.")
        }
    }

    private static let unknownReservation = Problem(.unknownReservation, "The user has no reservation of this id.")

    // MARK: Devices

    /// The problem of a refused registration or change of a device.
    package init(_ refusal: DeviceRefusal) {
        switch refusal {
        case .unknownDevice: self = .unknownDevice
        case .tooManyDevices:
            self.init(.tooManyDevices, "A user has at most \(DeviceRoster.maximumOnRecord) devices on record.")
        case .seatLimitReached(let seats): self = .seatLimitReached(seats)
        }
    }

    static let unknownDevice = Problem(.unknownDevice, "The user has no device of this id.")

    private static func seatLimitReached(_ seats: DeviceSeats) -> Problem {
        var problem = Problem(
            .seatLimitReached,
            seats.allowed == 0
                ? "Nothing that the user has gives a device seat now." : "As many devices are active as may be.")
        problem.seats = seats
        return problem
    }

    /// The problem of a question about an unknown plan.
    init(_ refusal: PlanChangeRefusal) {
        switch refusal {
        case .unknownTarget: self.init(.notFound, "No plan or pass has this id.")
        }
    }

    // MARK: Operators

    /// The problem of a refused act of an operator.
    package init(_ refusal: OperatorRefusal) {
        switch refusal {
        case .unknownPurchase: self.init(.unknownPurchase, "The user has no such purchase, or it was never recorded.")
        case .ambiguousPurchase: self.init(.ambiguousPurchase, "The user has several purchases of this id.")
        case .ownedByAnotherUser: self.init(.ownedByAnotherUser, "Somebody has it: transfer it from them.")
        case .ownerErased:
            self.init(.notClaimable, "Its owner was erased: only the same Apple account can claim it.")
        case .unknownGrant: self.init(.unknownGrant, "The user has no grant of this id.")
        case .sameUser: self.init(.sameUser, "A user cannot give to themselves.")
        case .unknownGuest: self.init(.unknownGuest, "Nothing was ever recorded of the guest.")
        case .unknownTier: self.init(.unknownTier, "The catalogue in force names no such tier.")
        case .unknownProduct: self.init(.unknownProduct, "The catalogue in force has no such product.")
        case .notAnAddOn: self.init(.notAnAddOn, "The product is of another kind.")
        case .ambiguousProduct: self.init(.ambiguousProduct, "Several apps sell an add-on of this id.")
        case .unknownUnit: self.init(.unknownUnit, "Nothing that is sold credits this unit.")
        case .daysOutOfRange, .hoursOutOfRange, .amountOutOfRange:
            self = .invalidRequest("The number is too large.", at: "#/" + refusal.rawValue)
        case .endOutOfRange, .expiryOutOfRange:
            self = .invalidRequest("The instant is past, or beyond what can be written.", at: "#/" + refusal.rawValue)
        case .emptyOutage:
            self = .invalidRequest("The outage ends before it begins, or has not begun.", at: "#/" + refusal.rawValue)
        case .notEndedBeforeAttached:
            self.init(.notEndedBeforeAttached, "The purchase gives or gave something, or was refunded.")
        // A compensation counts these users and goes on, so no client sees this refusal.
        case .notAffected: self = .unexpected
        }
    }

    // MARK: Failures

    /// The problem of a database that cannot be reached or did not carry out a request.
    init(_ failure: ServiceFailure) {
        self = .unavailable(
            failure.isPassing ? "The database cannot be reached." : "The database did not carry it out.",
            retryAfterSeconds: 1)
    }

    /// The problem of a server that cannot sign tokens; the log says what to do.
    init(_ fault: SigningKeyFault) {
        switch fault {
        case .database: self.init(.notOpen as ServiceFailure)
        case .unusable, .none:
            self = .unavailable("Tokens cannot be signed at the moment.", retryAfterSeconds: 30)
        }
    }

    /// The problem of a certificate whose revocation could not be checked with Apple.
    init(_: CertificateStatusUnavailable) {
        self = .unavailable("Apple cannot be asked about its certificates.", retryAfterSeconds: 30)
    }

    /// The problem of a caller without a valid bearer token (RFC 6750 §3).
    init(_ refusal: BearerRefusal) {
        switch refusal {
        case .missing:
            self.init(.unauthenticated, "The request has no bearer token.")
            fields[.wwwAuthenticate] = "Bearer realm=\"gatepass\""
        case .invalid(let detail):
            self.init(.unauthenticated, detail)
            fields[.wwwAuthenticate] =
                "Bearer realm=\"gatepass\", error=\"invalid_token\", error_description=\"\(detail)\""
        case .signedInElsewhere:
            self.init(AppleAccountRefusal.signedInElsewhere)
            status = .unauthorized
            fields[.wwwAuthenticate] = "Bearer realm=\"gatepass\", error=\"invalid_token\""
        case .userIDNotAllowed(let detail):
            // No `error`: RFC 6750 §3.1 ties `invalid_token` to 401.
            self.init(.userIDNotAllowed, detail)
            fields[.wwwAuthenticate] = "Bearer realm=\"gatepass\""
        case .keysUnavailable:
            self = .unavailable("The keys of the login cannot be fetched.", retryAfterSeconds: 30)
        case .notAllowed(let detail):
            self.init(.forbidden, detail)
            fields[.wwwAuthenticate] =
                "Bearer realm=\"gatepass\", error=\"insufficient_scope\", error_description=\"\(detail)\""
        }
    }

    /// The problem of a request without a valid API key, or without the scope that it needs (RFC 6750 §3.1).
    init(_ refusal: ServerRefusal) {
        switch refusal {
        case .missing:
            self.init(.unauthenticated, "The request has no API key.")
            fields[.wwwAuthenticate] = "Bearer realm=\"gatepass\""
        case .invalid:
            self.init(.invalid("An API key is required, and there is none like this.") as BearerRefusal)
        case .noKey(let route):
            let users = route.map { "a user's token is for \($0)." } ?? "nothing here takes a user's token."
            self.init(.invalid("An API key is required: " + users) as BearerRefusal)
        case .insufficientScope(let scope):
            self.init(.forbidden, "The API key needs the scope \(scope.rawValue).")
            fields[.wwwAuthenticate] =
                "Bearer realm=\"gatepass\", error=\"insufficient_scope\", error_description=\"\(detail)\", "
                + "scope=\"\(scope.rawValue)\""
        }
    }

    /// The problem of a user or network that sent too many requests (RFC 6585 §4 and the RateLimit fields).
    init(_ exceeded: RateQuota) {
        let window = exceeded.windowSeconds == 1 ? "second" : "minute"
        self.init(exceeded, "At most \(exceeded.limit) requests of this kind are answered per \(window).")
    }

    private init(_ exceeded: RateQuota, _ detail: String) {
        self.init(.rateLimited, detail)
        fields[.retryAfter] = String(exceeded.resetSeconds)
        fields.tell(exceeded)
    }

    /// The problem of a user with as many reads under way as are allowed at once.
    static func tooManyReads(limit: Int) -> Problem {
        Problem(
            RateQuota(policy: "reads_under_way", limit: limit, windowSeconds: nil, resetSeconds: 1),
            "At most \(limit) reads of one user are under way at once.")
    }

    /// The problem of a user who exceeds the daily limit on a kind of act.
    init(_ exceeded: DailyBound.Exceeded, at now: Instant) {
        self.init(
            RateQuota(
                policy: exceeded.bound.policy, limit: exceeded.bound.limit, windowSeconds: 86_400,
                resetSeconds: Int(max(1, (exceeded.until - now + 999) / 1_000))),
            "At most \(exceeded.bound.limit) \(exceeded.bound.name) are recorded in 24 hours; "
                + "the next one is after \(RFC3339.text(of: exceeded.until)).")
    }

    private static func code(of refusal: EvidenceError) -> ProblemCode {
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
    static let rateLimit = known("RateLimit")
    static let rateLimitPolicy = known("RateLimit-Policy")
    static let requestID = known("X-Request-Id")
    static let forwardedFor = known("X-Forwarded-For")
    static let idempotencyKey = known("Idempotency-Key")
    static let idempotencyReplayed = known("Idempotency-Replayed")

    /// The field of this name. All names here are valid, so the replacement behind `??` is never used.
    private static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .retryAfter }
}

extension DailyBound {
    /// The name, for people, of the acts that the daily limit counts.
    fileprivate var name: String {
        switch self {
        case .consent: "changes of the consent"
        case .deviceName: "changes of device names and pins"
        case .device: "registrations and returns of devices"
        case .credits: "spends and reservations"
        }
    }

    /// The bound's name in `RateLimit-Policy`.
    fileprivate var policy: String {
        switch self {
        case .consent: "consent_changes"
        case .deviceName: "device_changes"
        case .device: "devices"
        case .credits: "credits"
        }
    }
}
