import Entitlements
import MariaDB

/// A row of `consumption_requests`.
enum ConsumptionRequestRow {
    private static let repeated = SQLStatement(
        "find repeated consumption request",
        """
        SELECT id FROM consumption_requests
        WHERE transaction_id = ? AND environment = ? AND app = ? AND asked_at > ? AND asked_at < ? LIMIT 1
        """)

    private static let reopen = SQLStatement(
        "reopen consumption request",
        """
        UPDATE consumption_requests SET decided_at = NULL, silence = NULL, consent = NULL
        WHERE id = ? AND silence IN ('no_consent', 'unowned', 'not_configured')
        """)

    private static let prepare = SQLStatement(
        "prepare consumption answer",
        """
        UPDATE consumption_requests SET is_delivered = ?, share = ?, preference = ?, provides_samples = ?
        WHERE id = ? AND decided_at IS NULL AND preference IS NULL
        """)

    private static let prepared = SQLStatement(
        "read prepared consumption answer",
        """
        SELECT is_delivered, share, preference, provides_samples FROM consumption_requests
        WHERE id = ? AND decided_at IS NULL
        """)

    private static let insert = SQLStatement(
        "insert consumption request",
        """
        INSERT INTO consumption_requests (app, environment, transaction_id, purchase, user_id, asked_at, deadline)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        RETURNING id
        """)

    private static let open = SQLStatement(
        "read open consumption request",
        """
        SELECT r.app, r.environment, r.transaction_id, r.purchase, r.asked_at, p.user_id, u.user_id
        FROM consumption_requests r
        LEFT JOIN purchases p ON p.source = 'apple_iap' AND p.app = r.app AND p.environment = r.environment
            AND p.external_id = r.purchase
        LEFT JOIN users u ON u.pseudonym = p.user_id
        WHERE r.id = ? AND r.decided_at IS NULL
        """)

    private static let decide = SQLStatement(
        "decide consumption request",
        """
        UPDATE consumption_requests SET user_id = ?, consent = ?, decided_at = ?, silence = ?, is_delivered = ?,
            share = ?, preference = ?, provides_samples = ?, refusal = ?
        WHERE id = ? AND decided_at IS NULL
        """)

    private static let selection = """
        SELECT r.id, r.app, r.environment, r.transaction_id, r.purchase, r.asked_at, r.deadline, u.user_id, r.consent,
            r.decided_at, r.silence, r.is_delivered, r.share, r.preference, r.provides_samples, r.refusal
        FROM consumption_requests r
        """

    /// The condition of each state.
    private static func condition(_ state: ConsumptionRequest.State?) -> String {
        switch state {
        case .open: "r.decided_at IS NULL"
        case .answered: "r.decided_at IS NOT NULL AND r.silence IS NULL"
        case .unanswered: "r.silence IS NOT NULL"
        case nil: "TRUE"
        }
    }

    private static func page(_ state: ConsumptionRequest.State?) -> SQLStatement {
        SQLStatement(
            "list consumption requests: \(state?.rawValue ?? "all")",
            """
            \(selection) FORCE INDEX (PRIMARY) LEFT JOIN users u ON u.pseudonym = r.user_id
            WHERE r.id < ? AND r.id >= ? AND \(condition(state)) ORDER BY r.id DESC LIMIT ?
            """)
    }

    private static func pageOfUser(_ state: ConsumptionRequest.State?) -> SQLStatement {
        SQLStatement(
            "list consumption requests of user: \(state?.rawValue ?? "all")",
            """
            \(selection) FORCE INDEX (by_user) STRAIGHT_JOIN users u ON u.pseudonym = r.user_id
            WHERE r.user_id = (SELECT pseudonym FROM users WHERE user_id = ?) AND r.id < ? AND \(condition(state))
            ORDER BY r.id DESC LIMIT ?
            """)
    }

    /// Keeps a question and the job that answers it, unless it repeats one that is kept. A repeat opens a question
    /// again of which Apple was told nothing for want of an owner, a consent or credentials. Throws when the database
    /// is away.
    ///
    /// The names in the delivery are locked, so that no other transaction asks about the same purchase meanwhile.
    ///
    /// - Parameter owner: The pseudonym of the user who has the purchase; nil if nobody does, or the person is erased.
    static func ask(
        _ question: ConsumptionQuestion, of owner: UInt64?, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        let key = question.purchase
        let patience = ConsumptionQuestion.patience(in: key.environment)
        let transaction: [Value] = [
            .text(question.transaction.text), .text(key.environment.rawValue), .text(key.app.text),
        ]
        let near = [question.askedAt + -patience, question.askedAt + patience].map { Value.int64($0.milliseconds) }
        if let kept = try session.query(repeated, transaction + near).first?.uint64(0) {
            if try session.execute(reopen, [.uint64(kept)]) > 0 {
                try JobRow.wake(.consumption, about: kept, now: now, in: session)
            }
            return
        }
        let rows = try session.query(
            insert,
            [
                .text(key.app.text), .text(key.environment.rawValue), .text(question.transaction.text),
                .text(key.externalID.text), Value(owner), .int64(question.askedAt.milliseconds),
                .int64(question.deadline.milliseconds),
            ])
        guard let row = rows.first else { throw DatabaseError(.misuse, statement: insert.name) }
        try JobRow.wake(.consumption, about: try row.uint64(0), now: now, in: session)
    }

    /// The open question, and the person who has its purchase now; nil if it is decided or gone. Throws when the
    /// database is away.
    static func open(
        _ id: UInt64, in session: Session
    ) throws(DatabaseError) -> (question: ConsumptionQuestion, owner: UserID?)? {
        guard let row = try session.query(open, [.uint64(id)]).first else { return nil }
        let owner = try row.isNull(5) ? nil : UserRow.user(row, at: 6, pseudonym: 5)
        return (try question(row, from: 0, askedAt: 4), owner)
    }

    /// Writes the answer that an open question is to get, unless one is written, and returns the written one. Nil if
    /// the question is decided or gone. Throws when the database is away.
    static func prepare(
        _ answer: ConsumptionAnswer, to id: UInt64, in session: Session
    ) throws(DatabaseError) -> ConsumptionAnswer? {
        try session.execute(
            prepare,
            [
                Value(answer.isDelivered), Value(answer.share), .text(answer.preference.rawValue),
                Value(answer.providesSamples), .uint64(id),
            ])
        guard let row = try session.query(prepared, [.uint64(id)]).first else { return nil }
        return try self.answer(row, from: 0)
    }

    /// Writes the outcome of an open question. Any other row stays as it is. Throws when the database is away.
    ///
    /// - Parameter owner: The pseudonym of the user about whom it was decided.
    static func decide(
        _ id: UInt64, as outcome: ConsumptionOutcome, about owner: UInt64?, at now: Instant, in session: Session
    ) throws(DatabaseError) {
        let (consent, answer) = (outcome.consent.map { Value($0) }, outcome.answer)
        try session.execute(
            decide,
            [
                Value(owner), consent ?? .null, .int64(now.milliseconds), Value(outcome.silence?.rawValue),
                (answer?.isDelivered).map { Value($0) } ?? .null, Value(answer?.share),
                Value(answer?.preference.rawValue),
                (answer?.providesSamples).map { Value($0) } ?? .null, Value(outcome.refusal), .uint64(id),
            ])
    }

    /// Up to `limit` questions in a state with ids below `id` and not below `floor`, the last recorded first. Throws
    /// when the database is away.
    static func page(
        _ state: ConsumptionRequest.State?, before id: UInt64, from floor: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [ConsumptionRequest] {
        try session.query(page(state), [.uint64(id), .uint64(floor), Value(limit)], decode: request)
    }

    /// Up to `limit` questions about one user in a state with ids below `id`, the last recorded first. Throws when the
    /// database is away.
    static func page(
        _ state: ConsumptionRequest.State?, of user: UserID, before id: UInt64, limit: Int, in session: Session
    ) throws(DatabaseError) -> [ConsumptionRequest] {
        try session.query(pageOfUser(state), [.text(user.text), .uint64(id), Value(limit)], decode: request)
    }

    private static func request(_ row: Row) throws(DatabaseError) -> ConsumptionRequest {
        ConsumptionRequest(
            id: try row.uint64(0), question: try question(row, from: 1, askedAt: 5),
            deadline: Instant(milliseconds: try row.int64(6)), owner: try row.optionalText(7).flatMap { UserID($0) },
            consent: try row.isNull(8) ? nil : row.bool(8),
            decidedAt: try row.optionalInt64(9).map(Instant.init(milliseconds:)),
            silence: try row.optionalText(10).flatMap(ConsumptionSilence.init), answer: try answer(row, from: 11),
            refusal: try row.optionalInt(15))
    }

    private static func question(
        _ row: Row, from first: Int, askedAt: Int
    ) throws(DatabaseError) -> ConsumptionQuestion {
        guard let environment = StoreEnvironment(rawValue: try row.text(first + 1)) else {
            throw row.malformed(first + 1)
        }
        let purchase = PurchaseKey(
            source: .appleIAP, app: AppID(try row.text(first)), environment: environment,
            externalID: ExternalID(try row.text(first + 3)))
        return ConsumptionQuestion(
            about: TransactionID(try row.text(first + 2)), of: purchase,
            askedAt: Instant(milliseconds: try row.int64(askedAt)))
    }

    /// The answer in four columns from `first` on; nil if they are NULL.
    private static func answer(_ row: Row, from first: Int) throws(DatabaseError) -> ConsumptionAnswer? {
        guard let word = try row.optionalText(first + 2) else { return nil }
        guard let preference = RefundPreference(rawValue: word) else { throw row.malformed(first + 2) }
        return ConsumptionAnswer(
            isDelivered: try row.bool(first), share: try row.optionalInt(first + 1), preference: preference,
            providesSamples: try row.bool(first + 3))
    }
}
