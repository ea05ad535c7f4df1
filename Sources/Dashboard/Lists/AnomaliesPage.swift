import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/anomalies`: genuine purchases that the catalogue cannot explain, each with the page that settles it.
enum AnomaliesPage {
    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let words = visit.words
        var filters = ListFilters("anomalies", visit)
        let reason: Anomaly? = filters.choice("reason", .columnKind) { words.text($0.title) }
        let found = try await visit.inTurn(at: .lists) { () async throws(Problem) in
            try await visit.served {
                try await ConfirmedAnomaly.page(
                    of: reason, before: filters.before, limit: ListView.rows, in: $0, at: visit.now)
            }
        }
        let view = ListView(
            visit: visit, place: .anomalies, text: .anomaliesText, filters: filters,
            columns: [.columnLearned, .columnMeanwhile, .columnCustomer, .columnFromSource, .columnSettles],
            none: (.nothingWaits, .workAnomaliesNone))
        return view.page(found.rows.map { row($0, cells) }, next: ListView.before(found.next))
    }

    private static func row(_ found: ConfirmedAnomaly, _ cells: ListCells) -> Markup {
        let words = cells.words
        return Shell.row {
            cells.time(.columnLearned, found.recordedAt)
            Shell.name(words, .columnMeanwhile) {
                Tag.strong { words.text(found.anomaly.title) }
                Shell.sandbox(words, if: found.key.environment)
                Tag.p {
                    words(found.anomaly.sentence, ["product": cells.product(found.product, of: found.key)])
                }
                Tag.small { Tag.code { found.key.externalID.text } }
            }
            cells.customer(found.owner)
            cells.source(found.key.source, found.key.app)
            cells.settling {
                if let link = link(settling: found, cells) {
                    Tag.a(.href(link)) { words.text(found.anomaly.settling) }
                }
            }
        }
    }

    /// The page that settles an anomaly; nil if it is an act that the reader may not do.
    private static func link(settling found: ConfirmedAnomaly, _ cells: ListCells) -> Link? {
        let purchase = PurchasePage.link(to: found.key)
        return switch found.anomaly {
        case .unknownProduct, .productTypeMismatch: Destination.catalogue.link
        case .quarantined, .unreadableFields: found.owner.map { Link("users", $0.text) } ?? purchase
        case .familyShared, .unclearRefund, .quantityDiffers, .paidAfterWithdrawal:
            cells.mayAct ? found.owner.map { ActPages<GiveDays>.link(to: $0) } ?? purchase : nil
        case .unowned: cells.mayAct ? purchase : nil
        }
    }
}

extension Anomaly {
    fileprivate var title: Phrase {
        switch self {
        case .unknownProduct: .anomalyUnknown
        case .productTypeMismatch: .anomalyMismatch
        case .quarantined: .anomalyQuarantined
        case .familyShared: .anomalyFamily
        case .unclearRefund: .anomalyRefund
        case .quantityDiffers: .anomalyQuantity
        case .paidAfterWithdrawal: .anomalyPaid
        case .unowned: .anomalyUnowned
        case .unreadableFields: .anomalyUnreadable
        }
    }

    fileprivate var sentence: Phrase {
        switch self {
        case .unknownProduct: .anomalyUnknownText
        case .productTypeMismatch: .anomalyMismatchText
        case .quarantined: .anomalyQuarantinedText
        case .familyShared: .anomalyFamilyText
        case .unclearRefund: .anomalyRefundText
        case .quantityDiffers: .anomalyQuantityText
        case .paidAfterWithdrawal: .anomalyPaidText
        case .unowned: .anomalyUnownedText
        case .unreadableFields: .anomalyUnreadableText
        }
    }

    /// The words of the link to what settles it.
    fileprivate var settling: Phrase {
        switch self {
        case .unknownProduct: .settleAddProduct
        case .productTypeMismatch: .settleCompare
        case .quarantined: .settleLook
        case .familyShared, .unclearRefund, .quantityDiffers, .paidAfterWithdrawal: .settleDecide
        case .unowned: .settleBind
        case .unreadableFields: .settleLook
        }
    }
}
