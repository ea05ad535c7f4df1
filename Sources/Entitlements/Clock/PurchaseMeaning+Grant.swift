extension PurchaseMeaning {
    /// Reads a grant. The grant itself says what it gives; only the terms of an add-on come from the catalogue.
    init(_ grant: Grant, given catalogue: CatalogueVersions, withdrawal: ShareTrack) {
        anchor = grant.grantedAt
        quantity = 1
        share = withdrawal
        storeProductID = nil
        switch grant.gift {
        case .pass(let tier, let length):
            productID = nil
            kind = .pass
            benefit = catalogue.tier(tier).map { .pass(tier: $0, length: length) } ?? .recorded(.unknownProduct)
        case .window(let tier, let endsAt):
            productID = nil
            kind = .plan
            benefit =
                catalogue.tier(tier).map {
                    .plan([Window(of: $0, from: grant.grantedAt, to: endsAt, revocations: withdrawal)])
                } ?? .recorded(.unknownProduct)
        case .addOn(let product, let app):
            let terms = catalogue.product(
                named: [product], from: .appleIAP, for: app, purchasedAt: grant.grantedAt)?.terms
            productID = product
            kind = terms?.kind
            benefit = Self.addOn(terms)
        case .credits(let unit, let amount, let expiresAt):
            productID = nil
            kind = .consumable
            benefit = .credits(
                CreditLot(
                    unit: unit, environment: grant.key.environment,
                    credited: CreditLot.credited(amount: amount, quantity: 1), creditedAt: grant.grantedAt,
                    expiresAt: expiresAt, share: withdrawal))
        }
    }

    private static func addOn(_ terms: Terms?) -> Purchase.Benefit {
        switch terms {
        case .addOn(let features, let requires, let seats, _)?:
            .addOn(features: features, requires: requires, seats: seats)
        case .pass?, .consumable?, .plan?: .recorded(.productTypeMismatch)
        case nil: .recorded(.unknownProduct)
        }
    }
}
