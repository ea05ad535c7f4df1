import AppStore
import Entitlements

/// When a client should send a refused request again (`api.md`, "When to finish, when to send again").
///
/// This is decided in one place from the code, the defect of the text, and whether a proof came with the request. The
/// owner of a purchase is not known there, so the answer tells nothing about owners. The switches have no default, so a
/// new code or reason does not compile without a case of its own.
package enum Retry: String, Hashable, Sendable, CaseIterable {
    /// A retry of this text gets the same answer.
    case never
    case later
    case afterSignIn = "after_sign_in"
    case withProof = "with_proof"

    /// The proof of the Apple account in a request, `signedAppTransaction`.
    enum Proof: Hashable, CaseIterable {
        /// The endpoint takes no proof.
        case notTaken
        case absent
        /// A proof was sent, genuine or not.
        case sent
    }

    /// - Parameter evidence: Why a signed text is refused, under `evidence_invalid`.
    init(after code: ProblemCode, _ evidence: EvidenceError? = nil, proof: Proof = .notTaken) {
        self =
            switch code {
            case .bodyIncomplete, .rateLimited, .idempotencyInProgress, .unavailable: .later
            case .unauthenticated, .ownLoginRequired, .signedInElsewhere: .afterSignIn
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
            case .evidenceInvalid:
                switch (evidence.map { Retry(after: $0) } ?? .never, proof) {
                case (.never, .absent): .withProof
                case (let retry, _): retry
                }
            case .headersTooLarge, .payloadTooLarge, .notFound, .methodNotAllowed, .userIDNotAllowed, .forbidden,
                .unsupportedMediaType, .invalidRequest, .idempotencyKeyReused, .wrongApp, .wrongEnvironment,
                .stale, .unknownUnit, .unknownReservation, .unknownDevice, .unknownPurchase, .unknownGrant,
                .unknownGuest, .unknownTier, .unknownProduct,
                .sameUser, .notAnAddOn, .ambiguousProduct, .ambiguousPurchase, .alreadyReleased, .alreadyCommitted,
                .reservationEnded, .exceedsReservation, .inDebt, .insufficientCredits, .tooManyDevices,
                .seatLimitReached, .notEndedBeforeAttached:
                .never
            }
    }

    /// The advice after a signed text was refused. A retry helps only if the text's date is ahead of the clock and
    /// comes into range. Certificates never change that, because they are judged at the text's date and not at the
    /// present.
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

    /// The seconds to wait for a date that is `milliseconds` ahead. An hour at most, because this server's clock may be
    /// behind and be corrected sooner.
    static func seconds(untilInRange milliseconds: Int64) -> Int64 {
        min(max(1, (milliseconds + 999) / 1_000), 3_600)
    }
}

extension AttachOutcome {
    /// True if the user has the purchase after the request. The app must finish exactly those transactions.
    var finishes: Bool {
        switch self {
        case .attached, .alreadyAttached, .revoked, .recorded: true
        }
    }
}
