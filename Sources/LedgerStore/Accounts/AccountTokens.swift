package import Entitlements
package import MariaDB

/// Issues the one random account token of each user, and reads the notes of Apple accounts (`semantics.md` §5).
package struct AccountTokens: Sendable {
    private let pool: Pool
    private let labels: Labels
    private let now: @Sendable () -> Instant
    private let random: @Sendable () -> AccountToken

    /// - Parameter random: Makes a UUID v4 that nobody can guess.
    package init(
        pool: Pool, labels: Labels, now: @escaping @Sendable () -> Instant,
        random: @escaping @Sendable () -> AccountToken
    ) {
        self.pool = pool
        self.labels = labels
        self.now = now
        self.random = random
    }

    /// The purchase in the row `purchase`, and the account token that the App Store should know it by; the token is
    /// issued if its owner has none. Nil if the purchase is of another store, carries a token, a family shares it, or
    /// no living user has it. Throws when the database is away.
    package func owed(
        for purchase: UInt64
    ) async throws(ServiceFailure) -> (purchase: PurchaseKey, token: AccountToken)? {
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) in
            // People are locked before purchases, so the owner is read, locked, and read again.
            guard let first = try AccountTokenRow.owed(for: purchase, in: session),
                let person = try UserRow.lock(known: first.owner, in: session),
                let owed = try AccountTokenRow.owed(for: purchase, in: session), owed.owner == first.owner
            else { return nil }
            if let token = try AccountTokenRow.token(of: owed.owner, in: session) { return (owed.purchase, token) }
            let token = random()
            let issued = try AccountTokenRow.issue(
                token, as: labels.label(of: token), to: person, at: now, in: session)
            return (owed.purchase, issued)
        }
    }

    /// The account token of `user`, if one was issued; nil otherwise. Throws when the database is away.
    package func issued(to user: UserID) async throws(ServiceFailure) -> AccountToken? {
        try await pool.ask { (session) throws(DatabaseError) in try AccountTokenRow.token(of: user, in: session) }
    }

    /// The note of an Apple account, whose own user is `account`; nil if there is none. Throws when the database is
    /// away.
    package func note(of account: UserID) async throws(ServiceFailure) -> AppleAccountNote? {
        let label = labels.mention(of: account)
        return try await pool.ask { (session) throws(DatabaseError) in
            try AccountTokenRow.note(under: label, in: session)
        }
    }

    /// The account token of `user`. It is issued at the first call and stays the same.
    ///
    /// Repeat is safe because a user has one row. Throws when the database is away.
    package func token(of user: UserID) async throws(ServiceFailure) -> AccountToken {
        if let known = try await issued(to: user) { return known }
        let token = random()
        let now = now()
        return try await pool.commit { (session) throws(DatabaseError) in
            let heads = try UserRow.lock([user], under: labels, at: now, in: session)
            guard let head = heads?[user] else { throw DatabaseError(.misuse, statement: "issue token") }
            try UserRow.touch([head.pseudonym], in: session)
            return try AccountTokenRow.issue(
                token, as: labels.label(of: token), to: head.pseudonym, at: now, in: session)
        }
    }
}
