package import Entitlements
import Logging
package import MariaDB

/// The only path by which ledgers are written: load, decide, append.
///
/// Only `record` commits ledger entries. The requests that wait in the write queue share one transaction. It locks and
/// loads all rows, makes each decision in turn, appends everything in bulk and commits once. Decisions are pure, so a
/// batch may run again after a deadlock or a lost connection. Unique keys keep a repeat from writing twice what was
/// already committed.
package final class Ledger: Sendable {
    /// The most requests of one transaction. While one batch is written, the evidence of the next one is verified.
    private static let maximumBatch = 16
    /// The number of batches that are written at once: while one waits for the disk, the statements of the other run.
    private static let runners = 2
    /// How often a batch may begin again because another instance inserted the same row first.
    private static let maximumCollisions = 8
    /// The most requests that may wait; a further request fails as `.overloaded`.
    private static let maximumWaiting = 2_048

    private let pool: Pool
    private let catalogue: CatalogueVersionCache
    private let settings: LedgerSettings
    private let projection: Projection
    private let now: @Sendable () -> Instant
    private let salt: @Sendable () -> [UInt8]
    private let noteBatch: @Sendable (_ requests: Int) -> Void
    private let cache = LedgerCache()
    private let headers = SignedHeaders()
    private let queue = BatchQueue<Request>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)
    /// Requests that concern heavy ledgers. They wait apart, so that other requests do not wait behind them.
    private let heavyQueue = BatchQueue<Request>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)

    /// A ledger over the database of `pool`. It records nothing until `run` is called.
    ///
    /// - Parameters:
    ///   - format: Writes a status as the API sends it.
    ///   - now: The clock that dates facts.
    ///   - salt: Makes 16 random bytes.
    ///   - noteBatch: Called with the number of requests of each committed transaction.
    package init(
        pool: Pool, catalogue: CatalogueVersionCache, settings: LedgerSettings, format: StandingFormat,
        now: @escaping @Sendable () -> Instant, salt: @escaping @Sendable () -> [UInt8],
        noteBatch: @escaping @Sendable (_ requests: Int) -> Void = { _ in }
    ) {
        self.pool = pool
        self.catalogue = catalogue
        self.settings = settings
        projection = Projection(pool: pool, settings: settings.entitlements, format: format)
        self.now = now
        self.salt = salt
        self.noteBatch = noteBatch
    }

    /// Runs batches until `shutDown`; returns when every waiting request is answered.
    package func run() async {
        async let heavy: Void = heavyQueue.run(runners: 1) { await self.commit($0, takingHeavy: true) }
        await queue.run(runners: Self.runners) { await self.commit($0, takingHeavy: false) }
        heavyQueue.close()
        await heavy
    }

    /// A reader of the ledgers that shares this ledger's cache.
    package func reader() -> LedgerReader {
        LedgerReader(pool: pool, catalogue: catalogue, cache: cache)
    }

    /// The standings of the users whose ledgers are written here.
    ///
    /// - Parameter noteUnreadable: Called with the pseudonym of a user who lost the standing, because the ledger cannot
    ///   be read.
    package func standings(
        noteUnreadable: @escaping @Sendable (_ pseudonym: UInt64) -> Void = { _ in }
    ) -> Standings {
        Standings(
            pool: pool, catalogue: catalogue, projection: projection, now: now, noteUnreadable: noteUnreadable)
    }

    /// Removes an erased person's ledger from the cache of this instance. Other instances may still cache it, but never
    /// return it, because no row of `users` has its head any more (``LedgerCache``).
    package func forget(_ user: UserID) {
        cache.forget(user)
    }

    /// Takes no more requests.
    package func shutDown() {
        queue.close()
    }

    /// Stores `evidence`, calls `deciding` with everything that is then known, and appends its decision, all in one
    /// transaction. When this returns, the transaction is committed. If the task is cancelled before a batch has taken
    /// the request, nothing is stored.
    ///
    /// `deciding` must be pure, because it may run several times. It gets the newest catalogue, and a history with:
    ///
    /// * the ledgers of `users`, and of the owners of the purchases
    /// * the purchases of `evidence` and of `keys`
    /// * for a delivery, the users, customer and token of `news`, and the purchases to which its numbers lead
    ///
    /// A decision may move, bind or grant only these purchases, the purchases of `giver`, and other purchases of an
    /// erased owner of one of them. A receiver must be among `users` or be named by `news`.
    ///
    /// If the decision changes anything, `audit` is entered into the audit trail. Its people must be among `users` or
    /// be `giver`. A refusal or a repeat enters nothing.
    ///
    /// Throws `.misuse` if the decision concerns a person or purchase that was not loaded. Throws other errors when the
    /// database is away; then the same call may be repeated.
    package func record<Reply, Refusal>(
        _ evidence: [Evidence] = [], for users: Set<UserID>, keys: Set<PurchaseKey> = [],
        placing news: DeliveryNews? = nil, everythingOf giver: UserID? = nil, audit: AuditedAct? = nil,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal> {
        let keys = keys.union(evidence.map(\.statement.key)).union([news?.about].compactMap(\.self))
        let users = giver.map { users.union([$0]) } ?? users
        let caller = WaitingCaller()
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let request = Request(
                    users: users, evidence: evidence, keys: keys, news: news, giver: giver, audit: audit,
                    caller: caller
                ) { [settings] workspace, catalogue in
                    var isNew = false
                    for piece in evidence where workspace.record(piece) { isNew = true }
                    let decision = deciding(
                        workspace.history(for: users, keys, news, isEvidenceNew: isNew),
                        FoldContext(catalogue: catalogue, settings: settings.entitlements))
                    workspace.apply(decision)
                    let history = workspace.history(for: users, keys, news, isEvidenceNew: isNew)
                    let hasChanged = !decision.changesNothing
                    return Request.Decided(hasChanged: hasChanged) { folded in
                        continuation.resume(
                            returning: Result<Recorded<Reply, Refusal>, ServiceFailure>.success(
                                Recorded(
                                    answer: decision.answer, history: history, hasChanged: hasChanged, folded: folded)))
                    }
                } fail: {
                    continuation.resume(returning: .failure($0))
                }
                submit(request, to: users.contains(where: cache.isHeavy) ? heavyQueue : queue)
            }
        } onCancel: {
            caller.leave()
        }.get()
    }

    /// Records a decision that needs no catalogue. Throws like the other `record`.
    package func record<Reply, Refusal>(
        _ evidence: [Evidence] = [], for users: Set<UserID>, keys: Set<PurchaseKey> = [],
        everythingOf giver: UserID? = nil, audit: AuditedAct? = nil,
        deciding: @escaping @Sendable (PurchaseHistory) -> Decision<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal> {
        try await record(evidence, for: users, keys: keys, everythingOf: giver, audit: audit) { history, _ in
            deciding(history)
        }
    }

    /// The answer that `act` would give now, from plain reads: nothing is locked, written or entered into the audit
    /// trail. The work is done in the caller's task and ends with it. Throws `.cancelled` then, and when the database
    /// is away, or what is read changes all the time.
    package func preview<Reply, Refusal>(
        _ act: LedgerAct<Reply, Refusal>
    ) async throws(ServiceFailure) -> Previewed<Reply, Refusal> {
        let request = Request(
            users: act.users, evidence: [], keys: act.keys, news: nil, giver: act.giver, audit: nil,
            caller: WaitingCaller()
        ) { _, _ in
            Request.Decided(hasChanged: false) { _ in }
        } fail: { _ in
        }
        let batch = Batch(
            requests: [request], settings: settings, projection: projection, cache: cache, salt: salt, headers: [:],
            takesHeavy: true, isLocking: false)
        for _ in 0...Self.maximumCollisions {
            let (held, now) = (catalogue.cached, now())
            let load = try await pool.ask { (session) throws(DatabaseError) in
                try batch.load(in: session, given: held, at: now)
            }
            guard case .loaded(var workspace) = load else {
                // A purchase changed hands between two reads, or a newer catalogue is in force.
                try await catalogue.refresh()
                continue
            }
            let before = workspace.history(for: act.users, act.keys, nil, isEvidenceNew: false)
            try requireCaller()
            let decision = act.deciding(
                before, FoldContext(catalogue: held.versions, settings: settings.entitlements))
            try requireCaller()
            workspace.apply(decision)
            // Without locks, a purchase may have come to the ledger after the purchases were read.
            guard !workspace.isMisused else { continue }
            return Previewed(
                users: act.users.sorted(), answer: decision.answer, before: before,
                after: workspace.history(for: act.users, act.keys, nil, isEvidenceNew: false),
                wouldChange: !decision.changesNothing)
        }
        throw ServiceFailure(DatabaseError(.overloaded, statement: "preview"))
    }

    /// Throws `.cancelled` if nobody waits for a preview any more.
    private func requireCaller() throws(ServiceFailure) {
        if Task.isCancelled { throw ServiceFailure(DatabaseError(.cancelled, statement: "preview")) }
    }

    private func submit(_ request: Request, to queue: BatchQueue<Request>) {
        if !queue.submit(request) { request.fail(ServiceFailure(DatabaseError(.overloaded, statement: "record"))) }
    }

    /// Commits a batch and answers its requests, without those whose callers have left. If the batch fails, each
    /// request is tried alone, so that one bad request does not fail the others. If the database is away, all requests
    /// fail.
    private func commit(_ batch: [Request], takingHeavy: Bool) async {
        let requests = batch.filter { request in
            guard request.caller.hasLeft else { return true }
            request.fail(ServiceFailure(DatabaseError(.cancelled, statement: "record")))
            return false
        }
        guard !requests.isEmpty else { return }
        do {
            switch try await write(requests, takingHeavy: takingHeavy) {
            case .written(let outcome):
                for decided in outcome.decided { decided.tell(outcome.written.folded) }
            case .tooHeavy(let heavy): await handOver(requests, because: heavy)
            }
        } catch {
            guard requests.count > 1, !error.isDatabaseAway else {
                return requests.forEach { $0.fail(error) }
            }
            for request in requests { await commit([request], takingHeavy: takingHeavy) }
        }
    }

    /// Moves the requests that `heavy` concerns to the queue of heavy ledgers, and commits the rest.
    ///
    /// If `heavy` seems to concern no request, each request is committed alone. This can happen when the ledger of a
    /// purchase's holder has just become heavy.
    private func handOver(_ requests: [Request], because heavy: Batch.Heavy) async {
        cache.noteHeavy(heavy.users)
        let isAlone = requests.count == 1
        let rest = isAlone ? [] : requests.filter { !heavy.concerns($0) }
        for request in requests where isAlone || heavy.concerns(request) { submit(request, to: heavyQueue) }
        if rest.count < requests.count {
            if !rest.isEmpty { await commit(rest, takingHeavy: false) }
        } else {
            for request in rest { await commit([request], takingHeavy: false) }
        }
    }

    /// The final verdict on a batch, after all repeats.
    private enum Written {
        case written(Batch.Outcome)
        case tooHeavy(Batch.Heavy)
    }

    private func write(_ requests: [Request], takingHeavy: Bool) async throws(ServiceFailure) -> Written {
        let headers = try await headers.rows(
            of: requests.flatMap { $0.evidence.compactMap(\.proof?.text) }, in: pool)
        let batch = Batch(
            requests: requests, settings: settings, projection: projection, cache: cache, salt: salt,
            headers: headers, takesHeavy: takingHeavy)
        let attempt = Attempt()
        var collisions = 0
        while true {
            let held = catalogue.cached
            let now = now()
            let written: Result<Batch.Verdict, ServiceFailure>
            do {
                written = .success(
                    try await pool.commit { (session) throws(DatabaseError) in
                        try attempt.repeated(in: session) { () throws(DatabaseError) in
                            try batch.write(in: session, given: held, at: now)
                        }
                    })
            } catch {
                written = .failure(error)
            }
            switch written {
            case .success(.written(let outcome)):
                noteBatch(requests.count)
                outcome.written.grown.forEach(cache.keep)
                return .written(outcome)
            case .success(.tooHeavy(let heavy)):
                return .tooHeavy(heavy)
            case .success(.outdated):
                try await catalogue.refresh()
            case .failure(let error):
                // Another instance inserted the same row first. The next run finds that row and locks it.
                collisions += 1
                guard error.isDuplicateKey, collisions <= Self.maximumCollisions else { throw error }
            }
        }
    }
}

/// The result of a `record`: the answer, and the history after the decision.
package struct Recorded<Reply: Sendable, Refusal: Error>: Sendable {
    package let answer: Result<Reply, Refusal>
    package let history: PurchaseHistory
    /// True if the decision changed anything, so that its audit entry was written.
    package let hasChanged: Bool
    /// The timelines that were folded while the ledgers were written.
    private let folded: [UserID: FoldedLedger]

    package init(
        answer: Result<Reply, Refusal>, history: PurchaseHistory, hasChanged: Bool = true,
        folded: [UserID: FoldedLedger] = [:]
    ) {
        self.answer = answer
        self.history = history
        self.hasChanged = hasChanged
        self.folded = folded
    }

    /// The timeline of `user` after the decision. It is folded here unless the batch folded this ledger at the same
    /// length.
    package func timeline(of user: UserID, in context: FoldContext) -> Timeline {
        guard let folded = folded[user], folded.length == history.ledger(of: user).entries.count else {
            return history.timeline(of: user, in: context)
        }
        return folded.timeline
    }

    /// The answer to the status of `user` at `at`, as the batch wrote it; nil if it was not written for this ledger or
    /// does not hold then.
    package func answer(about user: UserID, at: Instant) -> StandingAnswer? {
        guard let folded = folded[user], folded.length == history.ledger(of: user).entries.count,
            let row = folded.row, row.holds(at: at)
        else { return nil }
        return row.answer
    }
}

/// A ledger's timeline, the number of entries that were folded, and the standing that was written.
package struct FoldedLedger: Sendable {
    let length: Int
    let timeline: Timeline
    /// Nil for an erased person.
    let row: StandingRow?
}

extension DatabaseError {
    /// True if other requests would fail now for the same reason.
    var isDatabaseAway: Bool {
        switch cause {
        case .connectionLost, .commitUnknown, .unavailable, .overloaded, .shuttingDown, .cancelled: true
        case .refused: isWrongNode
        case .transactionOver, .givenUp, .sessionNotPinned, .unexpectedCell, .parameters, .misuse: false
        }
    }
}
