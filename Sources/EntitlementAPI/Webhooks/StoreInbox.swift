package import AppStore
package import Entitlements
package import LedgerStore
package import Logging

/// Places stored deliveries. The reader of a delivery's source reads its text again, and the ledger records the result.
///
/// Placing may be repeated, in any order and concurrently. Statements are ordered by their own dates, and known ones
/// change nothing (`semantics.md` §1).
package struct StoreInbox: Sendable {
    /// The sources whose texts `read` can read.
    static let sources: [Source] = [.appleIAP, .stripe]

    private let store: StoreDoor
    private let rules: ClaimRules
    let apple: AppleReader
    let cards: CardReader
    private let metrics: APIMetrics
    private let logger: Logger

    package init(
        store: StoreDoor, under rules: ClaimRules, apple: AppleReader, cards: CardReader, metrics: APIMetrics,
        logger: Logger
    ) {
        self.store = store
        self.rules = rules
        self.apple = apple
        self.cards = cards
        self.metrics = metrics
        self.logger = logger
    }

    /// Counts what became of a delivery that was answered, or placed later, and logs a line that names no user.
    func tell(_ outcome: DeliveryOutcome, of id: UInt64, from source: Source, type: String) {
        metrics.delivered(from: source, outcome)
        logger.info(
            "delivery",
            metadata: [
                "delivery": "\(id)", "source": "\(source.text)", "type": "\(type)",
                "result": "\(outcome.result.rawValue)", "reason": "\(outcome.reason?.rawValue ?? "")",
            ])
    }

    /// The reason why a stored delivery could not be placed.
    package enum Failure: Error {
        /// The database cannot be reached or refuses. To be retried.
        case service(ServiceFailure)
        /// Apple could not be asked about its certificates. To be retried.
        case certificateStatus(CertificateStatusUnavailable)
        /// The text was genuine when it arrived and is not any more, for instance because its app was removed from the
        /// catalogue.
        case refused(EvidenceError)
        /// The text could be read when it arrived and cannot be read any more.
        case unreadable
        case unknownSource

        /// True if a retry may succeed; the failure then says nothing about the delivery.
        package var isPassing: Bool {
            switch self {
            case .service(let failure): failure.isPassing
            case .certificateStatus: true
            case .refused, .unreadable, .unknownSource: false
            }
        }
    }

    /// Takes a notification that Apple lists as the webhook would. True if it was new.
    ///
    /// - Throws: ``Failure``.
    func take(_ signed: SignedNotification) async throws(Failure) -> Bool {
        let verdict: Result<VerifiedDelivery, EvidenceError>
        do throws(CertificateStatusUnavailable) {
            verdict = try await apple.verify(signed)
        } catch {
            throw .certificateStatus(error)
        }
        switch verdict {
        case .failure(let refusal): throw .refused(refusal)
        case .success(let delivery):
            do throws(ServiceFailure) {
                let store = try store()
                let listed = InboxDelivery(delivery, labels: store.labels)
                let space = NumberSpace(source: listed.source, app: listed.app, environment: listed.environment)
                guard try await store.inbox.known([listed.externalID], in: space).isEmpty else { return false }
                let stored = try await store.inbox.receive(listed)
                do throws(ServiceFailure) {
                    let outcome = try await Inbox.place(
                        apple.read(delivery, under: store.labels), as: stored.id, under: rules, in: store.ledger)
                    tell(outcome, of: stored.id, from: .appleIAP, type: stored.type)
                } catch {
                    // The delivery is stored, and its own job places it. One that cannot be placed holds up no other.
                    guard !error.isPassing else { throw error }
                }
                return true
            } catch {
                throw .service(error)
            }
        }
    }

    /// Places the stored delivery `id`. If its text was deleted, only its takeback is placed, if it has one.
    ///
    /// - Throws: ``Failure``.
    package func place(stored id: UInt64) async throws(Failure) {
        let (opened, stored): (Store, DeliveryContent?)
        do throws(ServiceFailure) {
            opened = try store()
            stored = try await opened.inbox.content(of: id)
        } catch {
            throw .service(error)
        }
        guard let stored else { return }
        let read = try await read(stored, under: opened.labels)
        do throws(ServiceFailure) {
            let outcome =
                if let read {
                    try await Inbox.place(read, as: id, under: rules, in: opened.ledger)
                } else {
                    try await Inbox.noteTextGone(id, in: opened.ledger)
                }
            tell(outcome, of: id, from: stored.source, type: stored.type)
        } catch {
            throw .service(error)
        }
    }

    /// The content of the stored text, or the takeback of a delivery without text; nil if it has neither.
    private func read(_ stored: DeliveryContent, under labels: Labels) async throws(Failure) -> ReadDelivery? {
        switch (stored.text, stored.takeback) {
        case (let text?, _):
            switch stored.source {
            case .appleIAP: return try await apple.read(text, under: labels)
            case .stripe: return try cards.read(text, under: labels)
            default: throw .unknownSource
            }
        case (nil, let takeback?):
            guard let takeback = Takeback(text: takeback) else { throw .unreadable }
            let space = NumberSpace(source: stored.source, app: stored.app, environment: stored.environment)
            return ReadDelivery(DeliveryNews(takeback, in: space))
        case (nil, nil): return nil
        }
    }
}
