package import Entitlements
import Logging
package import MariaDB

/// The one write path: load, decide, append.
///
/// Ledger entries are committed by `record` alone. The requests that wait in the write queue share one transaction: all
/// rows are locked and loaded, each decision is made in turn, everything is appended in bulk and committed once.
/// Because decisions are pure, a batch may run again after a deadlock or a lost connection, and the unique keys make a
/// repeat of what was committed a no-op.
package final class Ledger: Sendable {
    /// How many requests share a transaction at most; while one batch is written, the next one's evidence is verified.
    private static let maximumBatch = 16
    /// How many batches are written at once: while one waits for the disk, the others' statements run.
    private static let runners = 2
    /// How often a batch begins again because another instance made the same row first.
    private static let maximumCollisions = 8
    /// How many requests wait at most; one more is told that the database is overloaded.
    private static let maximumWaiting = 2_048

    private let pool: Pool
    private let catalogue: CatalogueVersionCache
    private let settings: LedgerSettings
    private let now: @Sendable () -> Instant
    private let salt: @Sendable () -> [UInt8]
    private let noteBatch: @Sendable (_ requests: Int) -> Void
    private let cache = LedgerCache()
    private let headers = SignedHeaders()
    private let queue = BatchQueue<Request>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)
    /// Requests that concern heavy ledgers, so that other requests do not wait behind them.
    private let heavyQueue = BatchQueue<Request>(maximumBatch: maximumBatch, maximumWaiting: maximumWaiting)

    /// A ledger over the tables that `pool` reaches; nothing is recorded before it runs. `salt` makes 16 random bytes;
    /// `noteBatch` learns how many requests each committed transaction served.
    package init(
        pool: Pool, catalogue: CatalogueVersionCache, settings: LedgerSettings, now: @escaping @Sendable () -> Instant,
        salt: @escaping @Sendable () -> [UInt8], noteBatch: @escaping @Sendable (_ requests: Int) -> Void = { _ in }
    ) {
        self.pool = pool
        self.catalogue = catalogue
        self.settings = settings
        self.now = now
        self.salt = salt
        self.noteBatch = noteBatch
    }

    /// Records until `shutDown`; returns when every waiting request is answered.
    package func run() async {
        async let heavy: Void = heavyQueue.run(runners: 1) { await self.commit($0, takingHeavy: true) }
        await queue.run(runners: Self.runners) { await self.commit($0, takingHeavy: false) }
        heavyQueue.close()
        await heavy
    }

    /// A reader of what is recorded, which shares the cached ledgers.
    package func reader() -> LedgerReader {
        LedgerReader(pool: pool, catalogue: catalogue, cache: cache)
    }

    /// Removes an erased person's ledger from the cache. Other instances may still cache it, but never answer with it,
    /// because no head leads to it (``LedgerCache``).
    package func forget(_ user: UserID) {
        cache.forget(user)
    }

    /// Takes no more requests.
    package func shutDown() {
        queue.close()
    }

    /// Keeps `evidence`, lets `deciding` decide over what is known with it, and appends what it decided, all in one
    /// transaction: when this returns, it is on disk.
    ///
    /// `deciding` must be pure, for it may run several times; the catalogue it is handed is the newest. Its history
    /// holds the ledgers of `users`, the purchases of `evidence` and `keys`, and the ledgers of their owners. The
    /// users, the customer and the token of `news`, and the purchases that its numbers lead to, are loaded under locks
    /// of these names.
    ///
    /// A purchase that the decision moves, binds or grants must be among these, or be owned by `giver` or by an erased
    /// owner of one of them. Its receiver must be among `users`, or be named by `news`. If the decision changes
    /// anything, `audit`, whose people are among `users` or are `giver`, is entered into the audit trail with it. A
    /// refusal and a repeat enter nothing. Throws `.misuse` when somebody is missing, and other errors when the
    /// database is away; then the same call may be repeated.
    package func record<Reply, Refusal>(
        _ evidence: [Evidence] = [], for users: Set<UserID>, keys: Set<PurchaseKey> = [],
        placing news: DeliveryNews? = nil, everythingOf giver: UserID? = nil, audit: AuditedAct? = nil,
        deciding: @escaping @Sendable (PurchaseHistory, FoldContext) -> Decision<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal> {
        let keys = keys.union(evidence.map(\.statement.key)).union([news?.about].compactMap(\.self))
        let users = giver.map { users.union([$0]) } ?? users
        return try await withCheckedContinuation { continuation in
            let request = Request(users: users, evidence: evidence, keys: keys, news: news, giver: giver, audit: audit)
            {
                [settings] workspace, catalogue in
                var isNew = false
                for piece in evidence where workspace.record(piece) { isNew = true }
                let decision = deciding(
                    workspace.history(for: users, keys, news, isEvidenceNew: isNew),
                    FoldContext(catalogue: catalogue, settings: settings.entitlements))
                workspace.apply(decision)
                let history = workspace.history(for: users, keys, news, isEvidenceNew: isNew)
                return Request.Decided(hasChanged: !decision.changesNothing) { folded in
                    continuation.resume(
                        returning: Result<Recorded<Reply, Refusal>, ServiceFailure>.success(
                            Recorded(answer: decision.answer, history: history, folded: folded)))
                }
            } fail: {
                continuation.resume(returning: .failure($0))
            }
            submit(request, to: users.contains(where: cache.isHeavy) ? heavyQueue : queue)
        }.get()
    }

    /// Records a decision that reads no catalogue. Throws as the other does.
    package func record<Reply, Refusal>(
        _ evidence: [Evidence] = [], for users: Set<UserID>, keys: Set<PurchaseKey> = [],
        everythingOf giver: UserID? = nil, audit: AuditedAct? = nil,
        deciding: @escaping @Sendable (PurchaseHistory) -> Decision<Reply, Refusal>
    ) async throws(ServiceFailure) -> Recorded<Reply, Refusal> {
        try await record(evidence, for: users, keys: keys, everythingOf: giver, audit: audit) { history, _ in
            deciding(history)
        }
    }

    private func submit(_ request: Request, to queue: BatchQueue<Request>) {
        if !queue.submit(request) { request.fail(ServiceFailure(DatabaseError(.overloaded, statement: "record"))) }
    }

    /// Commits a batch. If it fails as a whole, its requests are tried one by one, so that one bad request fails alone;
    /// if the database is away, all of them fail.
    private func commit(_ requests: [Request], takingHeavy: Bool) async {
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

    /// Moves the requests that `heavy` concerns to the queue of heavy ledgers, and commits the rest. If no request
    /// seems to be concerned, as when the ledger of a purchase's holder has just become heavy, each request is
    /// committed alone.
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

    /// The verdict on a batch in the end.
    private enum Written {
        case written(Batch.Outcome)
        case tooHeavy(Batch.Heavy)
    }

    private func write(_ requests: [Request], takingHeavy: Bool) async throws(ServiceFailure) -> Written {
        let headers = try await headers.rows(
            of: requests.flatMap { $0.evidence.compactMap(\.proof?.text) }, in: pool)
        let batch = Batch(
            requests: requests, settings: settings, cache: cache, salt: salt, headers: headers, takesHeavy: takingHeavy)
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
                // Another instance made a row first; the next run finds it and locks it.
                collisions += 1
                guard error.isDuplicateKey, collisions <= Self.maximumCollisions else { throw error }
            }
        }
    }
}

/// The result of a `record`: the answer, and the history after it.
package struct Recorded<Reply: Sendable, Refusal: Error>: Sendable {
    package let answer: Result<Reply, Refusal>
    package let history: PurchaseHistory
    /// The ledgers that grew with it, folded when they were written.
    private let folded: [UserID: FoldedLedger]

    package init(
        answer: Result<Reply, Refusal>, history: PurchaseHistory, folded: [UserID: FoldedLedger] = [:]
    ) {
        self.answer = answer
        self.history = history
        self.folded = folded
    }

    /// The timeline of `user` after it; folded here only where nothing was written, or more of another request.
    package func timeline(of user: UserID, in context: FoldContext) -> Timeline {
        guard let folded = folded[user], folded.length == history.ledger(of: user).entries.count else {
            return history.timeline(of: user, in: context)
        }
        return folded.timeline
    }
}

/// A ledger's timeline, and how many entries gave it.
package struct FoldedLedger: Sendable {
    let length: Int
    let timeline: Timeline
}

extension DatabaseError {
    /// True if trying other requests now would only wait for the same fault.
    var isDatabaseAway: Bool {
        switch cause {
        case .connectionLost, .commitUnknown, .unavailable, .overloaded, .shuttingDown, .cancelled: true
        case .refused, .transactionOver, .givenUp, .sessionNotPinned, .unexpectedCell, .parameters, .misuse: false
        }
    }
}
