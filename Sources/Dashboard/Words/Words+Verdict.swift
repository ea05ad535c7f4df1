import Entitlements

/// An operator's act on a purchase, with the words of its note.
struct Deed {
    let who: String
    let at: Instant
    let reason: String
}

/// The verdict as people read it.
struct VerdictText {
    /// The sign beside the sentence.
    enum Sign {
        case access
        case warning
        case none
    }

    let sign: Sign
    /// The bold clause, and the muted one behind it.
    let headline: Markup
    let follow: Markup
    /// The sentences below, which say why.
    let why: [Markup]

    /// Puts a verdict into words.
    ///
    /// - Parameters:
    ///   - isNow: False for a moment that the reader asked for; the sentences then stand in the past, or in the future.
    ///   - deed: The act by which an operator granted or withdrew a purchase; nil if its words are not kept.
    init(
        _ verdict: Verdict, of timeline: Timeline, _ names: Names, at: Instant, isNow: Bool,
        deed: @escaping (PurchaseFact.Kind, PurchaseKey) -> Deed? = { _, _ in nil }
    ) {
        let words = names.words
        let writer = VerdictWriter(
            timeline: timeline, names: names, words: words,
            tense: isNow ? .present : at > words.now ? .future : .past, deed: deed)
        switch verdict {
        case .access(let access):
            if case .grace = access.basis { sign = .warning } else { sign = .access }
            headline = writer.joined(writer.headline(access), to: access)
            follow = writer.follow(access)
            why = writer.why(access)
        case .addOns(let products):
            sign = .access
            let named = Tag.strong(.class("tier")) { words.joined(products.map(writer.addOn), by: .listed) }
            let phrase = writer.tense == .past ? Phrase.verdictHadAddOns : .verdictAddOns
            headline = words(.fullStop, ["text": words(phrase, ["names": named])])
            follow = .nothing
            why = []
        case .sandboxOnly(let tier, let end):
            sign = .none
            let phrase = writer.tense == .past ? Phrase.verdictHadSandbox : .verdictSandbox
            let clause = words(phrase, ["tier": writer.tier(tier), "date": writer.date(end)])
            headline = Markup([Shell.sandbox(words), Markup(" "), words(.fullStop, ["text": clause])])
            follow = words(.verdictSandboxFollow)
            why = [words(.reasonSandboxNotAllowed)]
        case .ended(let end, let key, let instant):
            sign = .none
            headline = words(.verdictEnded, ["none": writer.none, "date": writer.date(instant)])
            follow = writer.cause(end, key)
            why = [writer.details(end, key)] + writer.revoked(key)
        case .toCome(let tier, let start):
            sign = .none
            headline = words(.verdictNone, ["none": writer.none])
            follow = words(.verdictToCome, ["tier": writer.tier(tier), "date": writer.date(start)])
            why = []
        case .nothing(let key, let reason):
            sign = .none
            headline = words(.verdictNone, ["none": writer.none])
            follow = words(.verdictNothing)
            let sentence = words(reason.sentence(of: writer.purchase(key), at: at))
            why = [words(.named, ["name": Tag.strong { writer.name(key) }, "text": sentence])] + writer.revoked(key)
        case .never:
            sign = .none
            headline = Tag.span(.class("bad")) { words.text(.verdictNever) }
            follow = .nothing
            why = [words(.verdictNeverWhy)]
        }
    }
}

/// The parts of a verdict's sentences.
private struct VerdictWriter {
    /// The time in which the sentences stand.
    enum Tense {
        case past
        case present
        case future
    }

    let timeline: Timeline
    let names: Names
    let words: Words
    let tense: Tense
    let deed: (PurchaseFact.Kind, PurchaseKey) -> Deed?

    var none: Markup {
        let phrase: Phrase =
            switch tense {
            case .past: .hadNoAccess
            case .present: .noAccess
            case .future: .willHaveNoAccess
            }
        return Tag.span(.class("bad")) { words.text(phrase) }
    }

    func tier(_ id: TierID) -> Markup { Tag.span(.class("tier")) { Tag.bdi { names.tier(id) } } }

    /// The name of an add-on, with the mark of the Sandbox if it was bought only there.
    func addOn(_ id: ProductID) -> Markup {
        let environments = Set(timeline.purchases.filter { $0.productID == id }.map(\.key.environment))
        let name = Tag.bdi { names.addOn(id) }
        return environments == [.sandbox] ? name + Shell.sandbox(words, if: .sandbox) : name
    }

    func date(_ instant: Instant) -> Markup { words.unbroken(instant) }

    func headline(_ access: Verdict.Access) -> Markup {
        let isPast = tense == .past
        let (phrase, end): (Phrase, Instant) =
            switch access.basis {
            case _ where tense == .future: (.verdictWill, access.until)
            case .plan(_, let end, true): (isPast ? .verdictRenewedThen : .verdictRenews, end)
            case .plan(_, _, false): (isPast ? .verdictHad : .verdictRenewalOff, access.until)
            case .grace(let grace) where grace.isLeeway: (isPast ? .verdictHad : .verdictLeeway, grace.until)
            case .grace(let grace): (isPast ? .verdictHadGrace : .verdictGrace, grace.until)
            case .window: (isPast ? .verdictHad : .verdictGiven, access.until)
            case .pass: (isPast ? .verdictHad : .verdictHas, access.until)
            }
        let tier = tier(access.tier) + Shell.sandbox(words, if: access.basis.key.environment)
        return words(phrase, ["tier": tier, "date": date(end)])
    }

    /// The headline with the sign that leads on to what follows.
    func joined(_ headline: Markup, to access: Verdict.Access) -> Markup {
        if after(access).isEmpty { return words(.fullStop, ["text": headline]) }
        if access.renews { return words(.clauses, ["first": headline, "second": .nothing]) }
        return words(.goesOn, ["text": headline])
    }

    /// The stretches that follow; behind a plan that renews, what is there if it does not.
    private func after(_ access: Verdict.Access) -> [Drawing.Stretch] {
        guard case .plan(_, let end, willRenew: true) = access.basis, end < access.until else { return access.then }
        return [Drawing.Stretch(tier: access.tier, startsAt: end, endsAt: access.until)] + access.then
    }

    /// The headline's second half: what follows, and until when.
    func follow(_ access: Verdict.Access) -> Markup {
        let after = after(access)
        guard !after.isEmpty else { return .nothing }
        let parts = after.prefix(3).enumerated().map { place, stretch in
            words(
                place == 0 && access.renews ? .verdictElse : .verdictThen,
                ["tier": Markup(names.tier(stretch.tier)), "date": date(stretch.endsAt)])
        }
        return words(.fullStop, ["text": words.joined(Array(parts), by: .listed)])
    }

    func why(_ access: Verdict.Access) -> [Markup] {
        var why: [Markup] = []
        switch access.basis {
        case .pass(let key, let end, let next):
            let values = ["name": name(key), "date": date(end)]
            let given = given(key)
            let phrase: Phrase = tense == .past ? .whyPassThen : .whyPass
            why.append(words(key.source == .manual && given == nil ? .whyGivenPass : phrase, values))
            if let given { why.append(given) }
            if next.isEmpty, access.then.isEmpty {
                why.append(words(.whyNothingFollows))
            } else if !next.isEmpty {
                why.append(words(.whyFollows, ["names": list(next)]))
            }
        case .plan(let key, let end, let willRenew):
            why.append(
                words(willRenew ? .whyRenews : .whyRenewalOff, ["name": name(key), "date": date(end)]))
        case .window(let key): why.append(given(key) ?? words(.whyGiven, ["name": name(key)]))
        case .grace(let grace):
            why.append(words(grace.isLeeway ? .whyLeeway : .whyGrace, ["name": name(grace.key)]))
        }
        if let next = after(access).first, let tier = next.tier {
            why.append(
                words(
                    access.renews ? .whyElse : .whyThen,
                    ["tier": Markup(names.tier(tier)), "date": date(next.startsAt)]))
        }
        if let grace = access.grace {
            why.append(
                words(
                    grace.isLeeway ? .whyLeewayBeside : .whyGraceBeside,
                    ["name": name(grace.key), "date": date(grace.until)]))
        }
        return why
    }

    /// The sentence about who gave a purchase and why; nil if that is not known.
    private func given(_ key: PurchaseKey) -> Markup? {
        deed(.granted, key).map { words(.whyGivenBy, values(of: $0).merging(["name": name(key)]) { $1 }) }
    }

    /// The sentence about who withdrew a purchase and why; none if nobody did, or that is not known.
    func revoked(_ key: PurchaseKey) -> [Markup] {
        deed(.withdrawn, key).map { [words(.whyRevokedBy, values(of: $0))] } ?? []
    }

    private func values(of deed: Deed) -> [String: Markup] {
        ["who": Tag.bdi { deed.who }, "date": date(deed.at), "reason": Tag.bdi { deed.reason }]
    }

    func cause(_ end: Verdict.End, _ key: PurchaseKey) -> Markup {
        switch end {
        case .ranOut where key.source == .manual: words(.endGift)
        case .takenBack(by: .withdrawal, _, _): words(.endWithdrawn)
        case .takenBack: words(.endRefunded)
        case .ranOut: words(.endRanOut)
        case .ranOutUnattached: words(.endRanOutUnattached)
        case .paymentFailed: words(.endPaymentFailed)
        case .planEnded(let reason): words(reason.phrase)
        case .transferred: words(.endTransferred)
        }
    }

    func details(_ end: Verdict.End, _ key: PurchaseKey) -> Markup {
        switch end {
        case .takenBack(_, let ran?, let length?):
            words(
                .whyTakenBack,
                ["name": name(key), "ran": Markup(words.length(ran)), "length": Markup(words.length(length))])
        case .takenBack: words(.whyTakenBackWhole, ["name": name(key)])
        case .ranOut: words(.whyRanOut, ["name": name(key)])
        case .ranOutUnattached: words(.whyRanOutUnattached, ["name": name(key)])
        case .paymentFailed: words(.whyPaymentFailed, ["name": name(key)])
        case .planEnded: words(.whyPlanEnded, ["name": name(key)])
        case .transferred: words(.whyTransferred, ["name": name(key)])
        }
    }

    func purchase(_ key: PurchaseKey) -> Purchase? { timeline.purchases.first { $0.key == key } }

    func name(_ key: PurchaseKey) -> Markup {
        Tag.bdi { purchase(key).map { names.purchase($0) } ?? key.externalID.text }
            + Shell.sandbox(words, if: key.environment)
    }

    private func list(_ keys: [PurchaseKey]) -> Markup {
        let shown = keys.prefix(3).map { name($0) }
        let more = keys.count > 3 ? [Markup(words.text(.andMore, ["n": words.number(keys.count - 3)]))] : []
        return words.joined(shown + more, by: .clauses)
    }
}

extension PlanDetails.ExpirationReason? {
    fileprivate var phrase: Phrase {
        switch self {
        case .cancelled: .endCancelled
        case .billingError: .endBilling
        case .priceIncreaseDeclined: .endPrice
        case .productUnavailable: .endUnavailable
        case .other, nil: .endPlan
        }
    }
}

extension Explanation.Reason {
    /// The sentence that says why a purchase gives nothing at `instant`.
    func sentence(of purchase: Purchase?, at instant: Instant) -> Phrase {
        let isWithdrawn = purchase?.takeback(by: instant) == .withdrawal
        return switch self {
        case .revoked: isWithdrawn ? .reasonWithdrawn : .reasonRefunded
        case .refundedAfterUse: isWithdrawn ? .reasonWithdrawn : .reasonRefundedAfterUse
        case .finished: .reasonFinished
        case .endedBeforeAttached: .reasonEndedBeforeAttached
        case .queuedBehind: .reasonQueuedBehind
        case .pausedUnder: .reasonPausedUnder
        case .sandboxNotAllowed: .reasonSandboxNotAllowed
        case .requiresTier: .reasonRequiresTier
        case .familyShared: .reasonFamilyShared
        case .superseded: .reasonSuperseded
        case .unknownProduct: .reasonUnknownProduct
        case .productTypeMismatch: .reasonTypeMismatch
        case .quarantined: .reasonQuarantined
        case .transferred: .reasonTransferred
        }
    }
}

extension Entitlement.State {
    /// The word for the state of a purchase at `instant` in a table.
    func word(of purchase: Purchase?, at instant: Instant) -> Phrase {
        switch self {
        case .running: purchase?.isTimeless ?? false ? .stateActive : .stateRunning
        case .queued: .stateQueued
        case .paused: .statePaused
        case .finished: .stateFinished
        case .revoked: purchase?.takeback(by: instant) == .withdrawal ? .stateRevoked : .stateRefunded
        case .grace: .stateGrace
        case .billingRetry: .stateRetry
        case .suspended: .stateSuspended
        case .recorded: .stateRecorded
        }
    }
}

extension Purchase {
    /// True if nothing of the purchase runs: it is there, or not.
    fileprivate var isTimeless: Bool {
        switch benefit {
        case .addOn, .credits: true
        case .recorded, .pass, .plan: false
        }
    }
}
