package import Entitlements

/// Whose a key of a request is.
package enum IdempotencyOwner: Hashable, Sendable {
    /// A server; the answers are kept for a day.
    case apiKey(UInt64)
    /// A user, whoever calls on their behalf; the answers are kept for ever (`contract.md` §1).
    case user(UserID)
}

/// Whom a request is about: what is kept of it goes when one of them is erased.
package enum IdempotencySubject: Hashable, Sendable {
    case nobody
    case user(UserID, and: UserID?)
    /// Whoever its answer will name: it goes with anybody.
    case anybody
}

/// A request that was asked for under a key.
package struct IdempotentRequest: Hashable, Sendable {
    package let owner: IdempotencyOwner
    /// 1–255 visible ASCII characters.
    package let key: String
    /// SHA-256 over all that makes the request what it is.
    package let hash: [UInt8]
    package let subject: IdempotencySubject

    package init(owner: IdempotencyOwner, key: String, hash: [UInt8], about subject: IdempotencySubject) {
        self.owner = owner
        self.key = key
        self.hash = hash
        self.subject = subject
    }
}

/// One attempt at a request, which nobody else makes until `until`.
package struct IdempotencyClaim: Hashable, Sendable {
    /// As the row has it.
    let owner: String
    package let key: String
    /// Names the attempt; random.
    package let claimant: UInt64
    let isKeptForEver: Bool

    package init(owner: String, key: String, claimant: UInt64, isKeptForEver: Bool) {
        self.owner = owner
        self.key = key
        self.claimant = claimant
        self.isKeptForEver = isKeptForEver
    }
}

/// The answer that repeats of a request get.
package struct RememberedAnswer: Hashable, Sendable {
    package let claim: IdempotencyClaim
    package let status: Int
    package let body: [UInt8]

    package init(claim: IdempotencyClaim, status: Int, body: [UInt8]) {
        self.claim = claim
        self.status = status
        self.body = body
    }
}

/// What is to be done about a request with a key.
package enum IdempotencyVerdict: Hashable, Sendable {
    /// Carry it out, then finish or release the claim.
    case claimed(IdempotencyClaim)
    /// It was answered before, by the attempt of this name.
    case answered(status: Int, body: [UInt8], claimant: UInt64)
    /// The key stands for another request.
    case reused
    /// Another attempt is at it.
    case inProgress
}
