import Entitlements

/// The names of things: titles of the catalogue where it has them, else what they are made of.
struct Names: Sendable {
    let words: Words
    let catalogue: CatalogueVersions

    func tier(_ id: TierID) -> String {
        catalogue.tier(id).flatMap { title(in: $0.titles) } ?? id.text
    }

    /// The name of a tier for a sentence; without a tier, the word for it.
    func tier(_ id: TierID?) -> String { id.map { tier($0) } ?? words.text(.noTier) }

    func source(_ source: Source) -> String {
        switch source {
        case .appleIAP: words.text(.sourceApple)
        case .stripe: words.text(.sourceCard)
        case .manual: words.text(.sourceManual)
        default: source.text
        }
    }

    /// The app of a purchase; nothing where the catalogue has only one, or the purchase names none.
    func app(_ id: AppID) -> Markup {
        guard catalogue.latest.catalogue.apps.count > 1, !id.text.isEmpty, id != .cards else { return .nothing }
        return Tag.small { id.text }
    }

    /// The name of a purchase: the title of its product with the quantity, else what it gives, else the store's own
    /// name of the product.
    func purchase(_ purchase: Purchase) -> String {
        let title = product(purchase.productID, of: purchase.key)
        return title.map { Self.several(purchase.quantity, $0, isPlan: purchase.kind == .plan) }
            ?? benefit(purchase) ?? (purchase.productID ?? purchase.storeProductID)?.text
            ?? purchase.key.externalID.text
    }

    /// A product's name behind the quantity that was bought at once, such as `2 × 30-day pass`. A plan's quantity is a
    /// number of seats.
    static func several(_ quantity: Int, _ name: String, isPlan: Bool) -> String {
        quantity > 1 && !isPlan ? "\(quantity) × \(name)" : name
    }

    /// The title of a product; nil if the catalogue has none.
    func product(_ id: ProductID?, of key: PurchaseKey) -> String? {
        guard let id else { return nil }
        return catalogue.products(named: [id], from: key.source, for: key.app).reversed().lazy
            .compactMap { title(in: $0.titles) }.first
    }

    /// The name of an add-on by its product alone.
    func addOn(_ id: ProductID) -> String {
        catalogue.latest.catalogue.products.first { $0.id == id }.flatMap { title(in: $0.titles) } ?? id.text
    }

    private func benefit(_ purchase: Purchase) -> String? {
        switch purchase.benefit {
        case .recorded: return purchase.productID?.text
        case .pass(let tier, let length):
            return words.text(.namePass, ["tier": self.tier(tier.id), "length": words.length(length)])
        case .plan(let windows):
            guard let window = windows.last else { return nil }
            let tier = tier(window.tier.id)
            return window.planID.map { words.text(.namePlan, ["tier": tier, "plan": $0]) }
                ?? words.text(purchase.key.source == .manual ? .nameWindow : .namePlanOnly, ["tier": tier])
        case .addOn: return purchase.productID.map { addOn($0) }
        case .credits(let lot):
            return words.text(.nameCredits, ["n": words.number(lot.credited), "unit": lot.unit])
        }
    }

    /// The title of a product in the catalogue; nil if it has none.
    func title(of product: Product) -> String? { title(in: product.titles) }

    private func title(in titles: [String: String]) -> String? {
        let wanted = titles[words.language.rawValue] ?? titles[words.language.tag]
        return wanted ?? titles["en"] ?? titles.min { $0.key < $1.key }?.value
    }
}
