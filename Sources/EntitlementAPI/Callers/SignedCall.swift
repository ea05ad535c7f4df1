import Entitlements
package import LedgerStore

/// A request of an authenticated user or server, as a route sees it.
package protocol SignedCall: Call {
    /// Runs what folds a ledger for an answer when its turn has come: a user's own reads are folded one at a time
    /// (`threats.md` T40). A server has no rate, and does not wait behind the users whom it asks about.
    ///
    /// - Throws: `rate_limited` where too many reads of the user wait, and what `fold` throws.
    func inTurn<Answer>(_ fold: () async throws(Problem) -> Answer) async throws(Problem) -> Answer
}

extension SignedCall {
    package var isSenderKnown: Bool { true }
}

/// A request of a server, as a route sees it.
package struct ServerCall: SignedCall {
    package let key: APIKey
    /// The secret of the server's API key, which also seals the answers stored for this server.
    let secret: APIKeySecret
    package let incoming: OpenCall

    /// Runs `fold` at once.
    ///
    /// - Throws: The error of `fold`.
    package func inTurn<Answer>(_ fold: () async throws(Problem) -> Answer) async throws(Problem) -> Answer {
        try await fold()
    }

    /// The server's name in the audit trail.
    var actor: Actor { Actor(key) }

    /// The user that the path names, and the server that asks for them.
    ///
    /// - Throws: `not_found` for what is no user id.
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
    /// The labels of this installation.
    ///
    /// - Throws: `unavailable`.
    func labels() throws(Problem) -> Labels {
        do throws(ServiceFailure) {
            return try api.store().labels
        } catch {
            throw Problem(error)
        }
    }

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

    /// The ledger with its head; nil while that is `known`.
    ///
    /// - Throws: `unavailable`.
    func ledger(of user: UserID, unless known: LedgerHead?) async throws(Problem) -> LedgerReader.ReadLedger? {
        try await served { try await $0.reader.ledger(of: user, unless: known) }
    }

    /// The result of `fold` over everything recorded of `user`, in turn.
    ///
    /// - Throws: `rate_limited` where too many reads of the user wait, `unavailable`, and what `fold` throws.
    func folding<Answer>(
        _ user: UserID, _ fold: (UserLedger) async throws(Problem) -> Answer
    ) async throws(Problem) -> Answer {
        try await inTurn { () async throws(Problem) in try await fold(try await ledger(of: user)) }
    }

    /// The user that the path names.
    ///
    /// - Throws: `not_found` for what is no user id.
    func namedUser() throws(Problem) -> UserID {
        guard let user = named("user_id").flatMap({ UserID($0) }) else { throw .notFound }
        return user
    }
}
