package import AppStore
package import Entitlements
package import LedgerStore
package import Logging

/// Tells the App Store what it asks for or should know: how much of a purchase was used, and whose a purchase is
/// (`semantics.md` §5). Nothing waits in the write queue and no connection is held while Apple is asked.
package struct StoreAnswers: Sendable {
    private let store: StoreDoor
    private let server: (any AppStoreServer)?
    private let policy: ConsumptionPolicy
    private let now: @Sendable () -> Instant
    private let metrics: APIMetrics
    private let logger: Logger

    /// - Parameters:
    ///   - server: The App Store; nil without App Store credentials.
    ///   - now: The clock by which deadlines pass.
    package init(
        store: StoreDoor, asking server: (any AppStoreServer)?, under policy: ConsumptionPolicy,
        now: @escaping @Sendable () -> Instant, metrics: APIMetrics, logger: Logger
    ) {
        self.store = store
        self.server = server
        self.policy = policy
        self.now = now
        self.metrics = metrics
        self.logger = logger
    }

    /// Answers the question about consumption in the row `id`, or decides that nothing is told. A question that is
    /// decided is left alone.
    ///
    /// - Throws: ``StoreHistory/Failure`` while Apple or the database is away; then the question stays open.
    package func answer(question id: UInt64) async throws(StoreHistory.Failure) {
        let store: Store
        let open: (question: ConsumptionQuestion, owner: UserID?)?
        do throws(ServiceFailure) {
            store = try self.store()
            open = try await store.consumption.open(id)
        } catch {
            throw .service(error)
        }
        guard let open, let outcome = try await outcome(of: open.question, id, about: open.owner, store) else { return }
        do throws(ServiceFailure) {
            try await store.consumption.decide(id, as: outcome, about: open.owner)
        } catch {
            throw .service(error)
        }
        metrics.decided(outcome, in: open.question.purchase.environment)
    }

    /// Tells the App Store what may be told. A refusal for good is an outcome. Nil if the question was decided
    /// meanwhile.
    private func outcome(
        of question: ConsumptionQuestion, _ id: UInt64, about owner: UserID?, _ store: Store
    ) async throws(StoreHistory.Failure) -> ConsumptionOutcome? {
        guard let server else { return ConsumptionOutcome(consent: nil, silence: .notConfigured) }
        guard let owner else { return ConsumptionOutcome(consent: nil, silence: .unowned) }
        let ledger: UserLedger
        do throws(ServiceFailure) {
            ledger = try await store.reader.ledger(of: owner)
        } catch {
            throw .service(error)
        }
        let consent = owner.isErased ? nil : ledger.consentsToConsumption
        switch question.answer(given: ledger, in: store.foldContext, under: policy, at: now()) {
        case .failure(let silence): return ConsumptionOutcome(consent: consent, silence: silence)
        case .success(let computed):
            let prepared: ConsumptionAnswer?
            do throws(ServiceFailure) {
                prepared = try await store.consumption.prepare(computed, to: id)
            } catch {
                throw .service(error)
            }
            guard let answer = prepared else { return nil }
            let refusal = try await tell(
                server, .consumption(of: question.transaction, answer), about: question.purchase)
            return ConsumptionOutcome(
                consent: consent, silence: refusal == nil ? nil : .refused, answer: answer, refusal: refusal)
        }
    }

    /// Tells the App Store the account token of the user who has the purchase in the row `id`. A purchase that needs
    /// none, or that no living user has, is left alone, and so is one of which Apple refuses it for good.
    ///
    /// - Throws: ``StoreHistory/Failure`` while Apple or the database is away.
    package func tellToken(ofPurchase id: UInt64) async throws(StoreHistory.Failure) {
        guard let server else { return }
        let owed: (purchase: PurchaseKey, token: AccountToken)?
        do throws(ServiceFailure) {
            owed = try await store().accountTokens.owed(for: id)
        } catch {
            throw .service(error)
        }
        guard let owed else { return }
        _ = try await tell(
            server, .accountToken(of: owed.purchase.externalID, owed.token), about: owed.purchase)
    }

    /// Returns the code of a refusal for good, nil if Apple took it. An error that Apple calls passing is thrown as
    /// such, so that it uses up no try.
    private func tell(
        _ server: any AppStoreServer, _ question: AppStoreQuestion, about purchase: PurchaseKey
    ) async throws(StoreHistory.Failure) -> Int? {
        do throws(AppStoreServerFailure) {
            _ = try await server.ask(question, about: purchase.app, in: purchase.environment)
            return nil
        } catch {
            switch error {
            case .refused(let code) where error.isFinal:
                logger.warning(
                    "Apple refuses what it was told", metadata: ["about": "\(question.name)", "code": "\(code)"])
                return code
            case .refused(let code): throw .apple(.unreachable("it answered \(code)"))
            case .unreachable, .keyNotAccepted, .paused, .unreadable: throw .apple(error)
            }
        }
    }
}
