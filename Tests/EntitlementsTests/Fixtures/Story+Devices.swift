import Entitlements

extension Label: ExpressibleByStringInterpolation {
    /// In tests a label is what it stands for.
    package init(stringLiteral text: String) { self.init(text) }
}

extension Label {
    /// That of a request that asks for `parts`.
    static func asking(_ parts: Any...) -> Label { Label(parts.map { "\($0)" }.joined(separator: ", ")) }
}

extension ProductID {
    /// A plan of tier basic for `seats` devices.
    static func plan(_ seats: Int) -> ProductID { ProductID("plan.\(seats)") }
}

extension CatalogueVersions {
    /// The example with plans for 1 to 9 devices.
    static let plans = CatalogueVersions(.plans())
}

extension Catalogue {
    static func plans(adding products: [Product] = []) -> Catalogue {
        .example(
            adding: (1...9).map { seats in
                Product(
                    id: .plan(seats), app: .vpn,
                    terms: .plan(tier: "basic", planID: "monthly_\(seats)", familyShareable: false))
            } + products)
    }
}

extension EntitlementSettings {
    /// Plans end when their dates say so.
    static let withoutLeeway = EntitlementSettings(sandboxAccess: .everyone, renewalLeewayHours: 0)
}

extension Story {
    /// A window with seats of its own, such as those of a plan for that many devices.
    func has(seats: Int, from startsAt: Instant, until endsAt: Instant) -> Story {
        attaches(
            .state(
                of: "\(seats) from \(startsAt.text)", .plan(seats), .plan, at: startsAt, until: endsAt),
            at: startsAt)
    }

    /// A device act as a fact, whatever a decision would say.
    func does(_ deed: DeviceAct.Deed, to device: Label, at instant: Instant) -> Story {
        var story = self
        story.ledger.append([LedgerEntry.Draft(.device(DeviceAct(device, deed)), at: instant)], at: instant)
        return story
    }

    func registers(_ device: Label, at instant: Instant, isPinned: Bool = false) -> Story {
        does(.registered(name: nil, isPinned: isPinned), to: device, at: instant)
    }

    func sees(_ device: Label, at instant: Instant) -> Story { does(.seen, to: device, at: instant) }

    func devices(at: Instant, knownAt: Instant? = nil) -> DeviceRoster {
        timeline(in: .plans, settings: .withoutLeeway, knownAt: knownAt).devices(at: at)
    }
}

extension DeviceRoster {
    /// By id, such as `P active`, `Q suspended by limit`.
    var lines: [String] { onRecord.sorted { $0.id < $1.id }.map { "\($0.id) \($0.state.text)" } }
}

extension Device.State {
    var text: String {
        switch self {
        case .active: "active"
        case .suspended(let suspender): "suspended by \(suspender.rawValue)"
        }
    }
}

extension NoteDigest {
    /// In tests a digest is the words.
    init(of note: Note) {
        self.init(
            bytes: Array(
                [note.actor, note.reason, note.reference, note.device?.text, note.deviceName?.text]
                    .map { $0 ?? "" }.joined(separator: "|").utf8))
    }

    /// What a store makes of the words of a draft.
    static func of(_ draft: LedgerEntry.Draft) -> NoteDigest? { draft.note.map { NoteDigest(of: $0) } ?? draft.kept }
}

extension UserLedger {
    /// A history that knows this ledger alone.
    func history(now: Instant) -> PurchaseHistory {
        PurchaseHistory(now: now, ledgers: [user: self], purchases: [:], tokenHolders: [:])
    }

    /// The answer of a decision, whose facts are entered.
    mutating func enter<Reply, Refusal>(_ decision: Decision<Reply, Refusal>, at now: Instant) -> Result<Reply, Refusal>
    {
        append(decision.drafts[user] ?? [], at: now, digesting: NoteDigest.of)
        return decision.answer
    }
}
