import AppStore
import Entitlements

/// When a client sends again what was refused (`api.md`, "When to finish, when to send again").
///
/// One function decides, by switches without a default: a new code or reason does not compile without its row. It knows
/// the code, the text and whether a proof came with it, and nothing of an owner, so the answer tells nothing of one.
package enum Retry: String, Hashable, Sendable, CaseIterable {
    /// This text, sent again, gets this answer.
    case never
    case later
    case afterSignIn = "after_sign_in"
    case withProof = "with_proof"

    /// The proof of the Apple account in a request, `signedAppTransaction`.
    enum Proof: Hashable, CaseIterable {
        /// The endpoint takes none.
        case notTaken
        case absent
        /// It was sent, genuine or not.
        case sent
    }

    /// - Parameter evidence: Why a signed text is refused, under `evidence_invalid`.
    init(after code: ProblemCode, _ evidence: EvidenceError? = nil, proof: Proof = .notTaken) {
        self =
            switch code {
            case .bodyIncomplete, .rateLimited, .idempotencyInProgress, .unavailable: .later
            case .unauthenticated: .afterSignIn
            case .ownedByAnotherUser, .accountTokenMismatch:
                switch proof {
                case .notTaken: .never
                case .absent: .withProof
                case .sent: .afterSignIn
                }
            case .notClaimable:
                switch proof {
                case .absent: .withProof
                case .notTaken, .sent: .never
                }
            case .evidenceInvalid: evidence.map { Retry(after: $0) } ?? .never
            case .headersTooLarge, .payloadTooLarge, .notFound, .methodNotAllowed, .userIDNotAllowed, .forbidden,
                .unsupportedMediaType, .invalidRequest, .idempotencyKeyReused, .wrongApp, .wrongEnvironment,
                .unknownUnit, .unknownReservation, .unknownDevice, .unknownPurchase, .unknownGrant, .unknownGuest,
                .unknownTier, .unknownProduct,
                .sameUser, .notAnAddOn, .ambiguousProduct, .ambiguousPurchase, .alreadyReleased, .alreadyCommitted,
                .reservationEnded, .exceedsReservation, .inDebt, .insufficientCredits, .tooManyDevices,
                .seatLimitReached, .notEndedBeforeAttached:
                .never
            }
    }

    /// A signed text stays as it is. Only a date ahead of the clock comes into range; certificates are judged at that
    /// date, not at the present.
    private init(after evidence: EvidenceError) {
        self =
            switch evidence.reason {
            case .signedDateOutOfRange: evidence.millisecondsAhead == nil ? .never : .later
            case .malformed, .unsupportedAlgorithm, .certificateCount, .certificateMalformed, .chainUntrusted,
                .chainExpired, .missingAppleMarker, .signatureMismatch, .payloadMalformed, .wrongPayloadKind, .wrongApp,
                .wrongEnvironment:
                .never
            }
    }

    /// The seconds to wait for a date that is `milliseconds` ahead. An hour at most: it may be this server's clock that
    /// is behind, and be put right before.
    static func seconds(untilInRange milliseconds: Int64) -> Int64 {
        min(max(1, (milliseconds + 999) / 1_000), 3_600)
    }
}

extension AttachOutcome {
    /// True where the purchase is the user's after the request: the app finishes exactly such transactions.
    var finishes: Bool {
        switch self {
        case .attached, .alreadyAttached, .revoked, .recorded: true
        }
    }
}
