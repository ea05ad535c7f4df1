import EntitlementAPI
import Entitlements

/// The facts of a person's ledger as sentences, in the words of the reader's language.
struct FactText {
    private let names: Names
    private let purchases: [PurchaseKey: Purchase]
    private let deviceNames: DeviceNames
    /// The number by which the page's drawing names a purchase.
    private let number: (PurchaseKey) -> Markup
    /// The state that was recorded before each state of the same transaction, by the instant of the later one.
    private let earlier: [Instant: VerifiedPurchase]

    private var words: Words { names.words }

    init(_ names: Names, of customer: Customer, number: @escaping (PurchaseKey) -> Markup) {
        self.names = names
        self.number = number
        deviceNames = customer.deviceNames
        purchases = Dictionary(
            customer.timeline.purchases.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var last: [TransactionID: VerifiedPurchase] = [:]
        var earlier: [Instant: VerifiedPurchase] = [:]
        for entry in customer.entries.reversed() {
            guard let state = entry.fact.state else { continue }
            earlier[entry.recordedAt] = last.updateValue(state, forKey: state.transactionID)
        }
        self.earlier = earlier
    }

    func sentence(_ entry: LedgerEntry) -> Markup {
        switch entry.fact {
        case .stated(.purchase(let state)): sentence(state, after: earlier[entry.recordedAt])
        case .stated(.renewal(let state)): sentence(state)
        case .bound(let key): words(.factBound, ["name": name(key)])
        case .granted(let grant): words(.factGranted, ["name": gift(grant.gift) + numbered(grant.key)])
        case .withdrawn(let key): words(.factWithdrawn, ["name": name(key)])
        case .gaveAway(let key, let handover): sentence(.factGaveAway, key, handover)
        case .received(let key, let handover): sentence(.factReceived, key, handover)
        case .credit(let act): sentence(act)
        case .device(let act):
            words(act.deed.phrase, ["name": Tag.strong { Tag.bdi { deviceNames.name(act.device) } }])
        case .sandboxTester(let isNamed): words(isNamed ? .factTester : .factNoTester)
        case .consumptionConsent(let isGiven): words(isGiven ? .factConsent : .factNoConsent)
        }
    }

    // MARK: What stores state

    private func sentence(_ state: VerifiedPurchase, after earlier: VerifiedPurchase?) -> Markup {
        let name = name(of: state)
        if state.isOfBill, let bill = state.bill {
            let number = bill.id.map { id in Tag.code { id } } ?? words(.billWithoutNumber)
            return words(bill.isPaid ? .factBillPaid : .factBillFailed, ["bill": number, "name": name])
        }
        guard let revocation = state.revocation else { return bought(state, name, after: earlier) }
        guard let share = revocation.share, !revocation.isUnclear else {
            return words(.factRefundUnclear, ["name": name])
        }
        guard share < Revocation.fullShare else { return words(.factRefunded, ["name": name]) }
        return words(.factRefundedPart, ["share": Markup(Self.percent(share)), "name": name])
    }

    private func bought(_ state: VerifiedPurchase, _ name: Markup, after earlier: VerifiedPurchase?) -> Markup {
        if let earlier {
            return words(earlier.revocation == nil ? .factToldAgain : .factReversed, ["name": name])
        }
        if state.isFamilyShared { return words(.factFamily, ["name": name]) }
        let priced =
            state.price.map { price in
                words(
                    .priced, ["name": name, "price": Markup(words.money(price.milliunits, price.currency))])
            } ?? name
        guard let end = state.expiresAt, state.purchasedAt > state.originallyPurchasedAt else {
            return words(.factBought, ["name": priced])
        }
        return words(.factPeriod, ["name": priced, "date": words.unbroken(end)])
    }

    private func sentence(_ renewal: VerifiedRenewal) -> Markup {
        let course =
            renewal.willRenew
            ? renewal.renewsInto.map { words(.renewsInto, ["name": product($0, of: renewal.key)]) } ?? words(.renewsOn)
            : words(.renewsNot)
        let parts = [
            course, renewal.isInRetry ? words(.renewalRetried) : nil,
            renewal.graceEndsAt.map { words(.renewalGrace, ["date": words.unbroken($0)]) }, renewal.end.map(end),
            renewal.priceConsent.map { words($0 == .given ? .priceGiven : .pricePending) },
            renewal.endedAt.map { words(.renewalEnded, ["date": words.unbroken($0)]) },
        ]
        let told = words.joined(parts.compactMap(\.self), by: .clauses)
        return words(.fullStop, ["text": words(.named, ["name": name(renewal.key), "text": told])])
    }

    private func end(_ end: RenewalEnd) -> Markup {
        switch end {
        case .cancelled: words(.renewalCancelled)
        case .billing: words(.renewalBilling)
        case .priceIncrease: words(.renewalPrice)
        case .unavailable: words(.renewalUnavailable)
        case .other(let reason): words(.renewalEndedBecause, ["reason": Tag.bdi { reason }])
        }
    }

    // MARK: What happens here

    private func sentence(_ phrase: Phrase, _ key: PurchaseKey, _ handover: Handover) -> Markup {
        var parts = [words(phrase, ["name": name(key)])]
        if handover.units > 0 {
            parts.append(words(.handoverUnits, ["n": Markup(words.number(handover.units))]))
        } else if handover.ran >= 60_000 {
            parts.append(words(.handoverRan, ["length": Markup(words.length(handover.ran))]))
        }
        parts.append(words(handover.cause.phrase))
        return words.joined(parts, by: .nextSentence)
    }

    private func sentence(_ act: CreditAct) -> Markup {
        switch act {
        case .spent(let spend):
            words(.factSpent, ["n": Markup(words.number(spend.amount)), "unit": Tag.bdi { spend.purse.unit }])
        case .reserved(let reservation):
            words(
                .factReserved,
                [
                    "n": Markup(words.number(reservation.amount)), "unit": Tag.bdi { reservation.purse.unit },
                    "id": Tag.code { reservation.id.text },
                ])
        case .committed(let id, let amount):
            words(.factCommitted, ["n": Markup(words.number(amount)), "id": Tag.code { id.text }])
        case .released(let id): words(.factReleased, ["id": Tag.code { id.text }])
        }
    }

    private func gift(_ gift: Grant.Gift) -> Markup {
        switch gift {
        case .pass(let tier, let length):
            words(.giftPass, ["length": Markup(words.length(length)), "tier": Tag.bdi { names.tier(tier) }])
        case .window(let tier, let end):
            words(.giftWindow, ["tier": Tag.bdi { names.tier(tier) }, "date": words.unbroken(end)])
        case .addOn(let product, _): Tag.bdi { names.addOn(product) }
        case .credits(let unit, let amount, let end?):
            words(
                .giftCreditsUntil,
                ["n": Markup(words.number(amount)), "unit": Tag.bdi { unit }, "date": words.unbroken(end)])
        case .credits(let unit, let amount, nil):
            words(.nameCredits, ["n": Markup(words.number(amount)), "unit": Tag.bdi { unit }])
        }
    }

    // MARK: Names

    private func name(_ key: PurchaseKey) -> Markup {
        Tag.bdi { purchases[key].map { names.purchase($0) } ?? key.externalID.text } + numbered(key)
    }

    private func name(of state: VerifiedPurchase) -> Markup {
        let known = state.productNames.lazy.compactMap { names.product($0, of: state.key) }.first
        guard let known = known ?? state.storeProductID?.text else { return name(state.key) }
        return Tag.bdi { Names.several(state.quantity, known, isPlan: state.type == .plan) } + numbered(state.key)
    }

    private func numbered(_ key: PurchaseKey) -> Markup {
        let number = number(key)
        return number.isEmpty ? number : Markup(" ") + number
    }

    private func product(_ id: ProductID, of key: PurchaseKey) -> Markup {
        Tag.bdi { names.product(id, of: key) ?? id.text }
    }

    /// Returns the share in percent, without trailing zeros: 33333 is "33.333 %".
    private static func percent(_ share: Int) -> String {
        let (whole, rest) = share.quotientAndRemainder(dividingBy: Revocation.fullShare / 100)
        guard rest > 0 else { return "\(whole)\u{A0}%" }
        var digits = String(String(1_000 + rest).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole).\(digits)\u{A0}%"
    }
}

extension Handover.Cause {
    fileprivate var phrase: Phrase {
        switch self {
        case .policy: .handoverPolicy
        case .operator: .handoverOperator
        case .merge: .handoverMerge
        case .adopt: .handoverAdopt
        case .reclaim: .handoverReclaim
        }
    }
}

extension DeviceAct.Deed {
    fileprivate var phrase: Phrase {
        switch self {
        case .registered: .factDeviceRegistered
        case .suspended: .factDeviceSuspended
        case .reactivated: .factDeviceReactivated
        case .seen: .factDeviceSeen
        case .removed: .factDeviceRemoved
        }
    }
}
