package import AppStore
package import Entitlements
package import LedgerStore

/// Places stored deliveries: each text is read again by the reader of its source, and handed to the ledger.
///
/// Placing may be repeated, in any order and at the same time: statements are ordered by their own dates, and
/// known ones change nothing (`semantics.md` §1).
package struct StoreInbox: Sendable {
    private let store: StoreDoor
    private let rules: ClaimRules
    let apple: AppleReader
    let cards: CardReader
    private let metrics: APIMetrics

    package init(
        store: StoreDoor, under rules: ClaimRules, apple: AppleReader, cards: CardReader, metrics: APIMetrics
    ) {
        self.store = store
        self.rules = rules
        self.apple = apple
        self.cards = cards
        self.metrics = metrics
    }

    /// Why a stored delivery could not be placed.
    package enum Failure: Error {
        /// The database is away, or refuses; to be tried again.
        case service(ServiceFailure)
        /// Apple could not be asked; to be tried again.
        case certificateStatus(CertificateStatusUnavailable)
        /// The text was genuine when it came and is not any more, as when its app is sold no more.
        case refused(EvidenceError)
        /// The text was read when it came and cannot be read any more.
        case unreadable
        case unknownSource

        /// True if the failure ends by itself; such a try says nothing of the delivery.
        package var isPassing: Bool {
            switch self {
            case .service(let failure): failure.isPassing
            case .certificateStatus: true
            case .refused, .unreadable, .unknownSource: false
            }
        }
    }

    /// Places the stored delivery `id`. Of a delivery whose text is deleted only its takeback is left, if it has one.
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
            guard let read else {
                return metrics.delivered(from: stored.source, try await Inbox.noteTextGone(id, in: opened.ledger))
            }
            metrics.delivered(
                from: stored.source, try await Inbox.place(read, as: id, under: rules, in: opened.ledger))
        } catch {
            throw .service(error)
        }
    }

    /// The news of a stored text, or of what a delivery without text takes back; nil for nothing.
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
