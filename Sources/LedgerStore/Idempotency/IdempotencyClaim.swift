package import Entitlements

/// The people whom a request is about: its stored answer is erased with any of them.
package enum IdempotencySubject: Hashable, Sendable {
    case nobody
    /// The labels of user ids.
    case user(Label, and: Label?)
    /// The answer may name any user, so it is erased with any user.
    case anybody
}

/// A request that a server asked for under a key.
package struct IdempotentRequest: Hashable, Sendable {
    /// The number of the server's API key.
    package let apiKey: UInt64
    package let key: Label
    /// The digest of the whole request.
    package let digest: Label
    package let subject: IdempotencySubject

    package init(of apiKey: UInt64, key: Label, digest: Label, about subject: IdempotencySubject) {
        self.apiKey = apiKey
        self.key = key
        self.digest = digest
        self.subject = subject
    }
}

/// An attempt to carry a request out; while it lasts, no other attempt begins.
package struct IdempotencyClaim: Hashable, Sendable {
    /// The column `owner` of its row.
    let owner: String
    package let key: Label
    /// Names the attempt; random.
    package let claimant: UInt64

    package init(owner: String, key: Label, claimant: UInt64) {
        self.owner = owner
        self.key = key
        self.claimant = claimant
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

/// The verdict on a request with a key.
package enum IdempotencyVerdict: Hashable, Sendable {
    /// Carry it out, then finish or release the claim.
    case claimed(IdempotencyClaim)
    /// The attempt of this name answered the request before.
    case answered(status: Int, body: [UInt8], claimant: UInt64)
    /// The key stands for another request.
    case reused
    /// Another attempt is at it.
    case inProgress
}
