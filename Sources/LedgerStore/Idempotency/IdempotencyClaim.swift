package import Entitlements

/// The people whom a request is about. The stored answer to the request is erased with any of them.
package enum IdempotencySubject: Hashable, Sendable {
    case nobody
    /// The request is about one or two users, given by the labels of their user ids.
    case user(Label, and: Label?)
    /// The request may be about any user, so its answer is erased with any user.
    case anybody
}

/// A request that a server sent with an idempotency key, or a person of the staff with a form of its own id.
package struct IdempotentRequest: Hashable, Sendable {
    /// The value of the column `owner`: `api_key:` and the id of the server's API key, or `staff:` and the person's id.
    let owner: String
    package let key: Label
    /// The label of the whole request, which distinguishes a repeat from another request under the same key.
    package let digest: Label
    package let subject: IdempotencySubject

    package init(of apiKey: UInt64, key: Label, digest: Label, about subject: IdempotencySubject) {
        self.init(owner: "api_key:\(apiKey)", key, digest, subject)
    }

    package init(of member: StaffMember, key: Label, digest: Label, about subject: IdempotencySubject) {
        self.init(owner: Actor(member).text, key, digest, subject)
    }

    private init(owner: String, _ key: Label, _ digest: Label, _ subject: IdempotencySubject) {
        self.owner = owner
        self.key = key
        self.digest = digest
        self.subject = subject
    }
}

/// The claim of one attempt to carry a request out. While the claim lasts, no other attempt begins.
package struct IdempotencyClaim: Hashable, Sendable {
    let owner: String
    package let key: Label
    /// The random number of the attempt.
    package let claimant: UInt64

    package init(owner: String, key: Label, claimant: UInt64) {
        self.owner = owner
        self.key = key
        self.claimant = claimant
    }
}

/// The first answer to a request, which repeats of the request get too.
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

/// The verdict on a request with an idempotency key.
package enum IdempotencyVerdict: Hashable, Sendable {
    /// The caller has the claim: it must carry the request out, and then finish or release the claim.
    case claimed(IdempotencyClaim)
    /// The request was answered before, by the attempt `claimant`.
    case answered(status: Int, body: [UInt8], claimant: UInt64)
    /// The key was used for a request with other content.
    case reused
    /// Another attempt is carrying the request out.
    case inProgress
}
