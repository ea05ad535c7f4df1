import ArgumentParser
import Entitlements
import Foundation
import StoreSimulator

/// A plan as the simulated store sells it: its app, its period and its price.
struct PlanOnSale {
    /// The subscription group. The simulated store has only one, and all plans are in it.
    static let group = "21000001"
    /// The price of a product whose price the catalogue does not have, in thousandths of the currency's unit.
    private static let usualPrice: Int64 = 4990

    let product: String
    let app: Catalogue.App
    let price: Int64
    private let period: PlanID.Period

    var isAnnual: Bool { period == .annual }

    /// The plan of this product id, or the first plan of the catalogue. A product that the catalogue does not know
    /// counts as a monthly plan of the first app. Throws if the catalogue sells no plan, or if the product is not a
    /// plan.
    init(_ product: String?, in catalogue: Catalogue) throws {
        let products = catalogue.products.filter { $0.source == .appleIAP }
        let known = products.first { product == nil ? $0.terms.kind == .plan : $0.id.text == product }
        guard let id = product ?? known?.id.text,
            let app = catalogue.apps.first(where: { known == nil || $0.id == known?.app })
        else { throw ValidationError("the catalogue sells no plan of the App Store") }
        let planID: String?
        switch known?.terms {
        case .plan(_, let id, _): planID = id
        case nil: planID = nil
        case .pass, .addOn, .consumable: throw ValidationError("\(id) is no plan: name one, or use `purchase`")
        }
        self.product = id
        self.app = app
        period = planID.flatMap { PlanID($0)?.period } ?? .monthly
        price =
            known?.price.flatMap { Decimal(string: $0.amount) }.map { NSDecimalNumber(decimal: $0 * 1_000).int64Value }
            ?? Self.usualPrice
    }

    /// The plan with this plan id in the catalogue. Throws if there is none.
    init(planID: String, in catalogue: Catalogue) throws {
        let product = catalogue.products.first { product in
            if case .plan(_, planID, _) = product.terms { product.source == .appleIAP } else { false }
        }
        guard let product else { throw ValidationError("the catalogue sells no plan \(planID) in the App Store") }
        try self.init(product.id.text, in: catalogue)
    }

    /// An order for a period that begins at `start`. Instants are milliseconds since the epoch.
    func order(from start: Int64, days: Int?, offer: SimulatedOffer? = nil) -> SimulatedSubscription.Order {
        SimulatedSubscription.Order(
            product, as: SoldPurchase.newTransactionID(), until: end(from: start, days: days), price: price,
            offer: offer)
    }

    /// The end of a period that begins at `start`. Instants are milliseconds since the epoch.
    func end(from start: Int64, days: Int?) -> Int64 { period.end(from: start, days: days) }
}

extension PlanID.Period {
    /// The end of a period that begins at `start`: `days` later, else a month or year later by the UTC calendar.
    /// Instants are milliseconds since the epoch.
    func end(from start: Int64, days: Int?) -> Int64 {
        if let days { return start + Int64(days) * Instant.millisecondsPerDay }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let (seconds, rest) = start.quotientAndRemainder(dividingBy: 1_000)
        let date = Date(timeIntervalSince1970: TimeInterval(seconds))
        let end = calendar.date(byAdding: self == .annual ? .year : .month, value: 1, to: date) ?? date
        return Int64(end.timeIntervalSince1970) * 1_000 + rest
    }
}
