import ArgumentParser
import Entitlements

/// A product as the simulated card account sells it.
struct CardGoods {
    let product: String
    /// The product's name in card billing: the name of a price for a plan, the name of a payment link for other
    /// products.
    let name: String
    let isPlan: Bool
    private let period: PlanID.Period

    /// The product of this name, or the first one that is sold by card. Throws if the catalogue sells no such product
    /// by card.
    init(_ product: String?, in catalogue: Catalogue) throws {
        let sold = catalogue.products.filter(\.isSoldByCard)
        guard let known = sold.first(where: { product == nil || $0.id.text == product }) else {
            let names = sold.map(\.id.text).joined(separator: ", ")
            throw ValidationError(
                "the catalogue does not sell \(product ?? "anything") by card"
                    + (names.isEmpty ? "" : ": write one of \(names)"))
        }
        self.product = known.id.text
        name = known.cardNames.first?.text ?? known.id.text
        isPlan = known.terms.kind == .plan
        var planID: String?
        if case .plan(_, let id, _) = known.terms { planID = id }
        period = planID.flatMap { PlanID($0)?.period } ?? .monthly
    }

    /// The product whose price or payment link has this name. Throws if the catalogue no longer sells it.
    init(named name: String, in catalogue: Catalogue) throws {
        let known = catalogue.products.first { $0.isSoldByCard && $0.allCardNames.contains(ProductID(name)) }
        guard let known else { throw ValidationError("the catalogue sells nothing as \(name) any more") }
        try self.init(known.id.text, in: catalogue)
    }

    /// The end of a period that begins at `start`, in seconds since the epoch.
    func end(from start: Int64, days: Int?) -> Int64 {
        period.end(from: start * 1_000, days: days) / 1_000
    }
}
