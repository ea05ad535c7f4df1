package import AppStore
import Entitlements
package import LedgerStore

/// Carries out what stores tell, for the request that brings a delivery and for the job that tries it again: each
/// delivery by the rules of its source.
///
/// What it does may be done twice, in any order and at the same time: statements are ordered by their own dates, and
/// what is known changes nothing (`semantics.md` §1).
package struct StoreInbox: Sendable {
    private let service: any EntitlementService
    let apple: AppleInbox
    let cards: CardInbox
    private let metrics: APIMetrics

    package init(service: any EntitlementService, apple: AppleInbox, cards: CardInbox, metrics: APIMetrics) {
        self.service = service
        self.apple = apple
        self.cards = cards
        self.metrics = metrics
    }

    /// Why a stored delivery could not be placed.
    package enum Failure: Error {
        /// What this server stands on is away, or refuses; to be tried again.
        case service(ServiceFailure)
        /// Apple could not be asked; to be tried again.
        case certificateStatus(CertificateStatusUnavailable)
        /// The text was genuine when it came and is not any more, as when its app is sold no more.
        case refused(EvidenceError)
        /// The text was read when it came and cannot be read any more.
        case unreadable
        case unknownSource

        /// Whether it passes when what is away is there again; a try that ended so says nothing of the delivery.
        package var isPassing: Bool {
            switch self {
            case .service(let failure): failure.isPassing
            case .certificateStatus: true
            case .refused, .unreadable, .unknownSource: false
            }
        }
    }

    /// Places the stored delivery `id`. What it takes back is left of a delivery whose text is deleted, or nothing.
    ///
    /// - Throws: ``Failure``.
    package func place(stored id: UInt64) async throws(Failure) {
        let stored: DeliveryContent?
        do throws(ServiceFailure) {
            stored = try await service.content(ofDelivery: id)
        } catch {
            throw .service(error)
        }
        guard let stored else { return }
        metrics.delivered(from: stored.source, try await place(stored, as: id))
    }

    private func place(_ stored: DeliveryContent, as id: UInt64) async throws(Failure) -> DeliveryStanding {
        switch (stored.text, stored.takeback) {
        case (let text?, _):
            switch stored.source {
            case .appleIAP: return try await apple.place(text, as: id)
            case .stripe: return try await cards.place(text, as: id)
            default: throw .unknownSource
            }
        case (nil, let takeback?): return try await cards.place(takeback: takeback, in: stored.environment, as: id)
        case (nil, nil):
            do throws(ServiceFailure) {
                return try await service.settle(id, as: DeliveryStanding(.parked, because: .textGone))
            } catch {
                throw .service(error)
            }
        }
    }
}

extension EntitlementService {
    /// Notes what became of a delivery that changes nothing else.
    ///
    /// - Throws: ``ServiceFailure``.
    func settle(_ id: UInt64, as standing: DeliveryStanding) async throws(ServiceFailure) -> DeliveryStanding {
        try await record([], for: [], keys: [], everythingOf: nil, audit: nil) {
            _, _ -> Decision<DeliveryStanding, Never> in
            Decision(sideRows: [DeliveryOutcome(of: id, standing)], answer: .success(standing))
        }.answer.get()
    }
}
