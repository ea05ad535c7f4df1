package import Entitlements
package import MariaDB
import Synchronization

/// Erases people: nothing that names one is left, and the facts stay under the pseudonym (`semantics.md` §5).
package struct Erasure: Sendable {
    private static let lock = Statement(
        "lock user to erase", "SELECT pseudonym FROM users WHERE user_id = ? FOR UPDATE")

    /// What a user has or had; names the user twice.
    private static let theirs = """
        SELECT p.id FROM users u STRAIGHT_JOIN purchases p ON p.user_id = u.pseudonym WHERE u.user_id = ?
        UNION
        SELECT h.purchase_id FROM users u STRAIGHT_JOIN purchase_holders h ON h.user_id = u.pseudonym WHERE u.user_id = ?
        """

    /// Erased people who have or had one of the purchases that the user has or had: their ledgers may have to be made anew.
    private static let companions = Statement(
        "read erased holders",
        """
        SELECT e.pseudonym
        FROM (\(theirs)) n STRAIGHT_JOIN purchases p ON p.id = n.id
        STRAIGHT_JOIN users e ON e.pseudonym = p.user_id AND e.user_id IS NULL
        UNION
        SELECT e.pseudonym
        FROM (\(theirs)) n STRAIGHT_JOIN purchase_holders h ON h.purchase_id = n.id
        STRAIGHT_JOIN users e ON e.pseudonym = h.user_id AND e.user_id IS NULL
        """)

    /// What they have, and what they had and is somebody else's now.
    private static let lockPurchases = Statement(
        "lock purchases to erase",
        """
        SELECT p.id
        FROM (SELECT id FROM purchases WHERE user_id = ? UNION SELECT purchase_id FROM purchase_holders WHERE user_id = ?) h
        STRAIGHT_JOIN purchases p ON p.id = h.id
        ORDER BY p.source, p.app, p.environment, p.external_id FOR UPDATE
        """)

    private static let accounts = Statement(
        "read Apple accounts to erase",
        """
        SELECT DISTINCT t.app_transaction_id
        FROM purchases p STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = p.id
        WHERE p.user_id = ? AND t.app_transaction_id IS NOT NULL
        """)

    private static let buryAccount = Statement(
        "bury Apple account",
        """
        UPDATE purchases p STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = p.id
        SET t.app_transaction_id = ? WHERE p.user_id = ? AND t.app_transaction_id = ?
        """)

    /// In what somebody else has now, by pseudonym and token; the texts while their states still carry it.
    private static let tokenRemovals = [
        Statement(
            "erase texts with token",
            """
            DELETE s FROM purchase_holders h STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = h.purchase_id
            STRAIGHT_JOIN signed_texts s ON s.state_id = t.id WHERE h.user_id = ? AND t.app_account_token = ?
            """),
        Statement(
            "erase token of states",
            """
            UPDATE purchase_holders h STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = h.purchase_id
            SET t.app_account_token = NULL WHERE h.user_id = ? AND t.app_account_token = ?
            """),
    ]

    /// By pseudonym alone; the user's own row last.
    private static let deletions = [
        Statement(
            "erase texts",
            """
            DELETE s FROM purchases p STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = p.id
            STRAIGHT_JOIN signed_texts s ON s.state_id = t.id WHERE p.user_id = ?
            """),
        Statement(
            "erase tokens of states",
            """
            UPDATE purchases p STRAIGHT_JOIN apple_iap_transactions t ON t.purchase_id = p.id
            SET t.app_account_token = NULL WHERE p.user_id = ?
            """),
        Statement(
            "erase notes", "UPDATE ledger_entries SET note = NULL, note_salt = NULL WHERE user_id = ?"),
        Statement("erase token", "DELETE FROM account_tokens WHERE user_id = ?"),
        Statement("erase merged tokens", "DELETE FROM merged_tokens WHERE user_id = ?"),
        Statement("erase user", "UPDATE users SET user_id = NULL WHERE pseudonym = ?"),
    ]

    private static let erased = Statement(
        "find erased user", "SELECT 1 FROM users WHERE pseudonym = ? AND user_id IS NULL")

    private let pool: Pool
    private let key: TombstoneKey
    private let audit: AuditTrail
    private let now: @Sendable () -> Instant

    package init(pool: Pool, key: TombstoneKey, audit: AuditTrail, now: @escaping @Sendable () -> Instant) {
        self.pool = pool
        self.key = key
        self.audit = audit
        self.now = now
    }

    /// Erases `user`, in one transaction, and returns what is left of them; nil for one never seen.
    ///
    /// Deletes the user id, the signed texts of the purchases that are theirs, the account token wherever it stands in
    /// what they have or had, with the texts that hold it, the notes and devices of their ledger, what others' ledgers
    /// repeat of the notes, whose entries keep their hashes, the words of the audit trail about them, their idempotency
    /// keys, and what is kept of servers' requests about them. Their tokens and Apple accounts, and the numbers of the
    /// purchases that no living person has or had, stay as HMACs, so that later refunds are known, the same Apple account
    /// may claim what is left and nobody else can. The act itself is entered into the audit trail under the pseudonym,
    /// with the heads of the chains that were made anew. With `remembering`, the answer to the request that asked for it
    /// is kept in the same transaction. Repeat is safe: the second time there is nobody of that id. Throws when the
    /// database is away.
    package func erase(
        _ user: UserID, by actor: Actor, reason: String, remembering: (@Sendable () -> RememberedAnswer)? = nil
    ) async throws(DatabaseError) -> UserID? {
        let now = now()
        let attempted = Mutex<UInt64?>(nil)
        return try await pool.transaction { (session) throws(DatabaseError) in
            // A commit that went unanswered is found again by what it left.
            if let earlier = attempted.withLock({ $0 }),
                try session.query(Self.erased, [.uint64(earlier)]).first != nil
            {
                return .erased(pseudonym: earlier)
            }
            let companions = try lockCompanions(of: user, in: session)
            guard let pseudonym = try session.query(Self.lock, [.text(user.text)]).first?.uint64(0) else { return nil }
            attempted.withLock { $0 = pseudonym }
            _ = try session.query(Self.lockPurchases, [.uint64(pseudonym), .uint64(pseudonym)])
            // With the purchases locked there come no more.
            let chains = try RemadeChains(
                of: pseudonym, and: companions.union(try lockCompanions(of: user, in: session)), in: session)
            try bury(user, pseudonym, in: session)
            try NotesElsewhere.erase(of: pseudonym, in: session)
            for deletion in Self.deletions { try session.execute(deletion, [.uint64(pseudonym)]) }
            let answer = remembering?()
            try IdempotencyKeys.erase(user, subject: pseudonym, but: answer?.claim, in: session)
            let taken = try AuditTrail.erase(subject: pseudonym, in: session)
            let people = try Burial(of: pseudonym, under: key, at: now).carryOut(in: session)
            let remade = try chains.write(of: people, in: session)
            if let answer { try IdempotencyKeys.finish(answer, at: now, in: session) }
            try audit.append(
                AuditRecord(
                    at: now, actor: actor, action: .erase, subject: pseudonym,
                    details: taken.merging(RemadeHead.details(of: remade, under: key)) { first, _ in first },
                    reason: reason),
                in: session)
            return .erased(pseudonym: pseudonym)
        }
    }

    /// In the order in which a batch locks people, of whom the erased come first.
    private func lockCompanions(of user: UserID, in session: Session) throws(DatabaseError) -> Set<UInt64> {
        let name = [Value](repeating: .text(user.text), count: 4)
        let companions = try session.query(Self.companions, name) { (row) throws(DatabaseError) in try row.uint64(0) }
        try UserRow.lock(erased: companions, in: session)
        return Set(companions)
    }

    private func bury(_ user: UserID, _ pseudonym: UInt64, in session: Session) throws(DatabaseError) {
        var tokens = AccountToken(legacyFormOf: user).map { [$0] } ?? []
        tokens += try AccountTokenRow.tokens(of: pseudonym, in: session)
        try TombstoneRow.bury(tokens, of: pseudonym, under: key, in: session)
        for token in tokens {
            for removal in Self.tokenRemovals {
                try session.execute(removal, [.uint64(pseudonym), .bytes(token.bytes)])
            }
        }
        for row in try session.query(Self.accounts, [.uint64(pseudonym)]) {
            let account = AppTransactionID(try row.text(0))
            guard !TombstoneKey.isTombstone(account.text) else { continue }
            try session.execute(
                Self.buryAccount, [.text(key.tombstone(of: account).text), .uint64(pseudonym), .text(account.text)])
        }
    }
}

extension AccountToken {
    /// The token of the old form that names `user`, if their id is such a number.
    fileprivate init?(legacyFormOf user: UserID) {
        guard let number = UInt32(user.text), String(number) == user.text else { return nil }
        self.init(bytes: withUnsafeBytes(of: number.bigEndian, Array.init) + [UInt8](repeating: 0, count: 12))
    }
}
