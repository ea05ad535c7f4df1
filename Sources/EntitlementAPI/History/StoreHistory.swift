package import AppStore
package import Entitlements
package import LedgerStore
package import Logging

/// Asks Apple for what no client sent and no notification brought (`semantics.md` §6).
///
/// Apple is asked through purchases that the user has, and only purchases of the same Apple account or with the user's
/// own account token are recorded, each by the rules of a claim. Nothing waits in the write queue and no connection is
/// held while Apple is asked.
package struct StoreHistory: Sendable {
    /// The reason why a walk did not reach its end. A job goes on where it stopped.
    package enum Failure: Error {
        case apple(AppStoreServerFailure)
        /// The database cannot be reached or refuses.
        case service(ServiceFailure)
        case certificateStatus(CertificateStatusUnavailable)

        /// True if something that the walk needs is away, so that the failure says nothing about the walk.
        package var isPassing: Bool {
            switch self {
            case .apple(let failure): failure.isPassing
            case .service(let failure): failure.isPassing
            case .certificateStatus: true
            }
        }

        /// The first instant at which a further try makes sense; nil if any may.
        package var earliest: Instant? {
            guard case .apple(.paused(let end)) = self else { return nil }
            return end
        }
    }

    /// The result of the walks for a person.
    package struct Walked: Sendable {
        /// The number of purchases that came to the user.
        package let recovered: Int
        /// False if Apple refused a walk for good, so that nothing more will come of it.
        package let isWhole: Bool
    }

    /// The most pages of a history that are read.
    static let maximumPages = 200

    let store: StoreDoor
    let server: any AppStoreServer
    let rules: ClaimRules
    let verifier: @Sendable () -> AppStoreVerifier
    private let cores: Int
    let now: @Sendable () -> Instant
    /// The longest that a restore waits for Apple.
    let patience: Duration
    let logger: Logger

    /// - Parameters:
    ///   - verifier: The verifier for the apps of the present catalogue.
    ///   - cores: The number of tasks that verify the texts of a page.
    ///   - now: The clock by which the dates of the texts are judged.
    package init(
        store: StoreDoor, asking server: any AppStoreServer, under rules: ClaimRules,
        verifier: @escaping @Sendable () -> AppStoreVerifier, cores: Int, now: @escaping @Sendable () -> Instant,
        patience: Duration = .seconds(3), logger: Logger
    ) {
        self.store = store
        self.server = server
        self.rules = rules
        self.verifier = verifier
        self.cores = cores
        self.now = now
        self.patience = patience
        self.logger = logger
    }

    /// Does the walks that are owed to a person. A walk that Apple refuses for good is over; a walk that fails does not
    /// keep the others from their end.
    ///
    /// - Throws: ``Failure``, the first of those that passed over a walk.
    package func walk(for person: UInt64) async throws(Failure) -> Walked {
        var shown: Set<PurchaseKey> = []
        return try await walk(for: person, showing: &shown)
    }

    /// Does the walks that are owed to a person, and adds the purchases of the user that Apple showed to `shown`, also
    /// if a walk fails.
    ///
    /// - Throws: ``Failure``, the first of those that passed over a walk.
    package func walk(
        for person: UInt64, showing shown: inout Set<PurchaseKey>
    ) async throws(Failure) -> Walked {
        let store: Store
        let owed: OwedWalks?
        do throws(ServiceFailure) {
            store = try self.store()
            owed = try await store.history.owed(to: person)
        } catch {
            throw .service(error)
        }
        var (isWhole, failure): (Bool, Failure?) = (true, nil)
        // Walks by an Apple account come first: they may record the purchases that name no account.
        for walk in (owed?.walks ?? []).sorted(by: { $0.account != nil && $1.account == nil }) {
            guard let owed else { break }
            do throws(Failure) {
                if walk.account == nil, shown.contains(walk.purchase) {
                    _ = try await note(walk, of: person, in: owed, at: nil, recovering: 0, isOver: true, store)
                } else {
                    isWhole = try await go(walk, of: person, owed, recording: &shown, store) && isWhole
                }
            } catch {
                tell(error)
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        do throws(ServiceFailure) {
            return Walked(recovered: try await store.history.finish(person, owed), isWhole: isWhole)
        } catch {
            throw .service(error)
        }
    }

    func tell(_ failure: Failure) {
        logger.warning("Apple could not be asked", metadata: ["error": "\(failure)"])
    }

    /// Reads a history page by page, and records what is the user's. False if Apple refused it for good, or it has more
    /// pages than are read.
    ///
    /// - Parameter recorded: The purchases of the user that the history showed.
    private func go(
        _ walk: HistoryWalk, of person: UInt64, _ owed: OwedWalks, recording recorded: inout Set<PurchaseKey>,
        _ store: Store
    ) async throws(Failure) -> Bool {
        // A walk without an account begins anew: it may have passed over pages before the account was known.
        var (account, revision) = (walk.account, walk.account == nil ? nil : walk.revision)
        var read: Set<String?> = [revision]
        for number in 1...Self.maximumPages {
            let page: HistoryPage
            do throws(AppStoreServerFailure) {
                page = try await server.history(
                    of: walk.purchase.externalID.text, after: revision, about: walk.purchase.app,
                    in: walk.purchase.environment)
            } catch {
                guard error.isFinal else { throw .apple(error) }
                tell(.apple(error))
                _ = try await note(walk, of: person, in: owed, at: nil, recovering: 0, isOver: true, store)
                return false
            }
            let genuine = try await genuine(page.signed)
            // A purchase of an old text names no account, but Apple's present text may.
            if account == nil, let named = genuine.first(where: { $0.state.key == walk.purchase })?.state.account {
                account = named
                if revision != nil {
                    revision = nil
                    read = [nil]
                    continue
                }
            }
            let theirs = genuine.filter { purchase in
                owed.concerns(purchase.state) || (account != nil && purchase.state.account == account)
            }
            let recovered = try await record(theirs, of: walk, for: owed.user, store)
            recorded.formUnion(theirs.map(\.state.key))
            // A list that leads back to a place would never end. A purchase that moved meanwhile ends the walk.
            let isWhole = !page.hasMore || !read.insert(page.revision).inserted || recovered == nil
            let isOver = isWhole || number == Self.maximumPages
            revision = page.revision
            let isMine = try await note(
                walk, of: person, in: owed, at: revision, recovering: recovered ?? 0, isOver: isOver, store)
            if isWhole || !isMine { return true }
        }
        logger.warning("Apple's history of a user has too many pages", metadata: ["pages": "\(Self.maximumPages)"])
        return false
    }

    /// The apps of the present catalogue.
    var apps: [AppID] { verifier().evidence.apps.map { AppID($0.bundleId) }.sorted { $0.text < $1.text } }

    /// The result of `ask`, called with the open store.
    ///
    /// - Throws: ``Failure``.
    func served<Value>(_ ask: (Store) async throws(ServiceFailure) -> Value) async throws(Failure) -> Value {
        do throws(ServiceFailure) {
            return try await ask(try store())
        } catch {
            throw .service(error)
        }
    }

    /// The genuine ones of transactions that Apple lists.
    ///
    /// - Throws: ``Failure``.
    func genuine(_ signed: [SignedTransaction]) async throws(Failure) -> [ShownPurchase] {
        let labels = try await served { (store) async throws(ServiceFailure) in store.labels }
        let verdicts: [AppStoreVerifier.Verdict]
        do throws(CertificateStatusUnavailable) {
            verdicts = try await verifier().verify(all: signed, at: now().milliseconds, cores: cores)
        } catch {
            throw .certificateStatus(error)
        }
        var (genuine, refused): ([ShownPurchase], Int) = ([], 0)
        for verdict in verdicts {
            switch verdict {
            case .genuine(let transaction): genuine.append(ShownPurchase(transaction, labels: labels))
            case .refused: refused += 1
            case .notJudged: throw .apple(.unreachable("its texts have too many unknown headers"))
            }
        }
        if refused > 0 {
            logger.error("Apple's history has texts that are not genuine", metadata: ["texts": "\(refused)"])
        }
        return genuine
    }

    /// Records transactions and claims them for the user. Returns how many purchases came to the user; nil if the
    /// walk's purchase moved or the user was erased while Apple was asked.
    private func record(
        _ theirs: [ShownPurchase], of walk: HistoryWalk, for user: UserID, _ store: Store
    ) async throws(Failure) -> Int? {
        guard !theirs.isEmpty else { return 0 }
        let (purchases, rules) = (theirs.map(\.state), rules)
        let recorded: Recorded<[Restore.Verdict]?, Never>
        do throws(ServiceFailure) {
            recorded = try await store.ledger.record(theirs.map(\.evidence), for: [user], keys: [walk.purchase]) {
                history, fold in
                guard history.purchases[walk.purchase]?.owner == user else {
                    return Decision(answer: .success(nil))
                }
                let restore = Restore(
                    purchases, to: user, proof: walk.proof, in: ClaimContext(rules: rules, fold: fold))
                return restore.decide(given: history).mapReply { $0 }
            }
        } catch {
            throw .service(error)
        }
        return recorded.answer.get()?.count { $0 == .claimed(.unowned) || $0 == .claimed(.transferred) }
    }

    private func note(
        _ walk: HistoryWalk, of person: UInt64, in owed: OwedWalks, at revision: String?, recovering count: Int,
        isOver: Bool, _ store: Store
    ) async throws(Failure) -> Bool {
        do throws(ServiceFailure) {
            return try await store.history.note(
                walk, of: person, in: owed, at: revision, recovering: count, isOver: isOver)
        } catch {
            throw .service(error)
        }
    }
}

extension OwedWalks {
    /// True if `state` is of a purchase through which Apple is asked, or carries an account token of the user.
    fileprivate func concerns(_ state: VerifiedPurchase) -> Bool {
        walks.contains { $0.purchase == state.key } || state.accountToken.map(tokens.contains) ?? false
    }
}
