package import Entitlements
package import LedgerStore

/// A request of an authenticated user or server.
package protocol SignedCall: Call {
    /// Runs `fold`, which folds the ledger of `user` for an answer. A user's own reads run one at a time, and so do
    /// those of operators about one user (`threats.md` T40). Operators never wait behind the user.
    ///
    /// - Throws: `rate_limited` if too many reads about the user wait, and what `fold` throws.
    func inTurn<Answer>(
        about user: UserID, _ fold: () async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer

    /// The sheet on which acts are noted that are not to be carried out; nil if they are.
    var previewSheet: PreviewSheet? { get }
}

extension SignedCall {
    package var isSenderKnown: Bool { true }
    package var isServer: Bool { false }
    package var previewSheet: PreviewSheet? { nil }
}

/// A request of a server, as a route sees it.
package struct ServerCall: SignedCall {
    package let key: APIKey
    /// The secret of the server's API key. It also encrypts the answers stored for this server.
    let secret: APIKeySecret
    package let incoming: OpenCall
    package var previewSheet: PreviewSheet?
    package var isServer: Bool { true }

    /// Runs `fold` after the earlier reads of operators about `user` have ended (``FoldLine``).
    ///
    /// - Throws: `rate_limited` if too many of them wait, and what `fold` throws.
    package func inTurn<Answer>(
        about user: UserID, _ fold: () async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        try await inTurn(at: .operators(user), fold)
    }

    /// The server's name in the audit trail.
    var actor: Actor { Actor(key) }

    /// The user in the path as the principal, with this server as the actor.
    ///
    /// - Throws: `not_found` if the path has no valid user id.
    func principal() throws(Problem) -> Principal {
        Principal(user: try namedUser(), actor: actor)
    }
}

/// A request of a user or of a server, for the routes that answer both.
enum Caller {
    case user(UserCall)
    case server(ServerCall)
}

extension SignedCall {
    /// The stored notes of these digests.
    ///
    /// - Throws: `unavailable`.
    func notes(_ digests: some Sequence<NoteDigest>) async throws(Problem) -> [NoteDigest: Note] {
        let digests = Set(digests)
        guard !digests.isEmpty else { return [:] }
        return try await served { try await $0.reader.notes(digests) }
    }

    /// Everything recorded of `user`.
    ///
    /// - Throws: `unavailable`.
    func ledger(of user: UserID) async throws(Problem) -> UserLedger {
        try await served { try await $0.reader.ledger(of: user) }
    }

    /// The result of `fold` over the ledger of `user`. Reads about one user run one at a time (``inTurn(about:_:)``).
    ///
    /// - Throws: `rate_limited` if too many reads about the user wait, `unavailable`, and what `fold` throws.
    func folding<Answer>(
        _ user: UserID, _ fold: (UserLedger) async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        try await inTurn(about: user) { () async throws(Problem) in
            let ledger = try await ledger(of: user)
            guard !Task.isCancelled else { throw .tookTooLong }
            return try await fold(ledger)
        }
    }

    /// The user that the path names.
    ///
    /// - Throws: `not_found` if the path has no valid user id.
    func namedUser() throws(Problem) -> UserID {
        guard let user = named("user_id").flatMap({ UserID($0) }) else { throw .notFound }
        return user
    }
}
