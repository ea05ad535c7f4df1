import Entitlements
import Testing

/// What users do with credits, and what operators give, each act decided as the server decides it.
extension Story {
    /// The example, and credits whose shortfalls are written off.
    static let catalogue = CatalogueVersions(
        .example(adding: [
            Product(
                id: .lenient100, app: .vpn, terms: .consumable(unit: "credit", amount: 100, onShortfall: .writeOff))
        ]))

    func credits(
        _ id: String, _ product: ProductID = .credits100, at: Instant, quantity: Int = 1,
        environment: StoreEnvironment = .production, attachedAt: Instant? = nil
    ) -> Story {
        buys(
            id, product, at: at, quantity: quantity, environment: environment, type: .consumable,
            attachedAt: attachedAt)
    }

    /// A promotional lot.
    func grants(_ id: String, _ amount: Int, unit: String = "credit", until expiresAt: Instant?, at: Instant) -> Story {
        let key = Grant.key(ExternalID(id))
        let gift = Grant.Gift.credits(unit: unit, amount: amount, expiresAt: expiresAt)
        return adding([.granted(Grant(key: key, gift: gift, grantedAt: at)), .bound(key)], at: at)
    }

    func takesBack(_ id: String, at: Instant) -> Story { adding([.withdrawn(Grant.key(ExternalID(id)))], at: at) }

    func spends(_ amount: Int, _ key: String? = nil, from purse: Purse = .credit, at: Instant) -> Story {
        following(asking(toSpend: amount, key ?? "spend \(ledger.entries.count)", from: purse, at: at), at: at)
    }

    func reserves(_ id: String, _ amount: Int, seconds: Int = 2_592_000, at: Instant) -> Story {
        following(asking(toReserve: id, amount, seconds: seconds, at: at), at: at)
    }

    func commits(_ id: String, _ amount: Int? = nil, at: Instant) -> Story {
        following(asking(toCommit: id, amount, at: at), at: at)
    }

    func releases(_ id: String, at: Instant) -> Story { following(asking(toRelease: id, at: at), at: at) }

    func asking(
        toSpend amount: Int, _ key: String, from purse: Purse = .credit, note: Note? = nil, at: Instant,
        settings: EntitlementSettings = .everyone
    ) -> Decision<SpendReceipt, DrawRefusal> {
        DrawCredits(
            .of(amount), from: purse, of: .alice, idempotencyKey: Label(key),
            request: .asking(amount, purse, note?.reason ?? "", note?.reference ?? ""), note: note
        ).spend(given: history(at: at), in: Self.catalogue, under: settings)
    }

    func asking(
        toReserve id: String, _ amount: Int, _ key: String? = nil, from purse: Purse = .credit,
        seconds: Int = 2_592_000, note: Note? = nil, at: Instant
    ) -> Decision<Reservation, DrawRefusal> {
        DrawCredits(
            .of(amount), from: purse, of: .alice, idempotencyKey: Label(key ?? id),
            request: .asking(amount, purse, seconds, note?.reason ?? "", note?.reference ?? ""), note: note
        ).reserve(
            for: .of(seconds), as: ReservationID(id), given: history(at: at), in: Self.catalogue, under: .everyone)
    }

    func asking(toCommit id: String, _ amount: Int? = nil, at: Instant) -> Decision<SpendReceipt, CommitRefusal> {
        CommitReservation(ReservationID(id), of: .alice, amount: amount.map { .of($0) })
            .decide(given: history(at: at), in: Self.catalogue, under: .everyone)
    }

    func asking(toRelease id: String, at: Instant) -> Decision<SpendReceipt, ReleaseRefusal> {
        ReleaseReservation(ReservationID(id), of: .alice)
            .decide(given: history(at: at), in: Self.catalogue, under: .everyone)
    }

    /// What a decision wanted is in the ledger.
    func following<Reply, Refusal>(_ decision: Decision<Reply, Refusal>, at: Instant) -> Story {
        var story = self
        story.ledger.append(decision.drafts[.alice] ?? [], at: at)
        return story
    }

    func adding(_ facts: [Fact], at: Instant) -> Story {
        var story = self
        story.ledger.append(facts.map { LedgerEntry.Draft($0, at: at) }, at: at)
        return story
    }

    private func history(at now: Instant) -> PurchaseHistory {
        PurchaseHistory(now: now, ledgers: [.alice: ledger], purchases: [:], tokenHolders: [:])
    }

    /// Each purse as a line such as `30 = 100 credited − 70 spent`.
    func balances(at: Instant, settings: EntitlementSettings = .everyone, knownAt: Instant? = nil) -> [String] {
        timeline(in: Self.catalogue, settings: settings, knownAt: knownAt).creditBalances(at: at).map(\.text)
    }

    /// Each lot of which a spend may draw, such as `c 30`, in the order of drawing.
    func lots(at: Instant) -> [String] {
        timeline(in: Self.catalogue).lotBalances(at: at).filter { $0.spendable > 0 }
            .map { "\($0.key.externalID) \($0.spendable)" }
    }
}

extension ProductID {
    static let lenient100: ProductID = "credits.lenient"
}

extension Purse {
    static let credit = Purse(unit: "credit", environment: .production)
    static let sandbox = Purse(unit: "credit", environment: .sandbox)
}

extension CreditAmount {
    static func of(_ units: Int) -> CreditAmount {
        guard let amount = CreditAmount(units) else { preconditionFailure("an amount in range: \(units)") }
        return amount
    }
}

extension ReservationTime {
    static func of(_ seconds: Int) -> ReservationTime {
        guard let time = ReservationTime(seconds: seconds) else { preconditionFailure("a time in range: \(seconds)") }
        return time
    }
}

extension CreditBalance {
    /// Such as `−70 = 100 credited − 100 refunded − 70 spent`.
    var text: String {
        let taken = [("refunded", refunded), ("expired", expired), ("spent", spent), ("reserved", reserved)]
        let terms = taken.filter { $0.1 != 0 }.map { " − \($0.1) \($0.0)" }.joined()
        let written = writtenOff == 0 ? "" : ", \(writtenOff) written off"
        return (debt > 0 ? "−\(debt)" : "\(spendable)") + " = \(credited) credited" + terms + written
    }

    /// The identity of `semantics.md` §4.
    var isSound: Bool {
        spendable >= 0 && debt >= 0 && (spendable == 0 || debt == 0)
            && spendable - debt == credited - refunded - expired - spent - reserved
    }
}

extension Draw {
    /// Such as `c 30`.
    var text: String { "\(lot.externalID) \(amount)" }
}
