import Entitlements

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
    /// - Parameter isNow: False for a moment that the reader asked for; the sentences then stand in the past.
    init(_ verdict: Verdict, of timeline: Timeline, _ names: Names, at: Instant, isNow: Bool) {
        let writer = VerdictWriter(timeline: timeline, names: names, words: names.words, at: at, isNow: isNow)
        switch verdict {
        case .access(let access):
            if case .grace = access.basis { sign = .warning } else { sign = .access }
            let goesOn = !access.then.isEmpty
            headline = writer.words(goesOn ? .goesOn : .fullStop, ["text": writer.headline(access)])
            follow = writer.follow(access)
            why = writer.why(access)
        case .addOns(let products):
            sign = .access
            let list = names.words.joined(products.map { names.addOn($0) }, by: .listed)
            let named = Tag.strong(.class("tier")) { Tag.bdi { list } }
            headline = writer.words(.fullStop, ["text": writer.words(.verdictAddOns, ["names": named])])
            follow = .nothing
            why = []
        case .sandboxOnly(let tier, let end):
            sign = .none
            headline = Markup([
                Shell.sandbox(writer.words), Markup(" "),
                writer.words(
                    .fullStop,
                    ["text": writer.words(.verdictSandbox, ["tier": writer.tier(tier), "date": writer.date(end)])]),
            ])
            follow = writer.words(.verdictSandboxFollow)
            why = [writer.words(.reasonSandboxNotAllowed)]
        case .ended(let end, let key, let instant):
            sign = .none
            headline = writer.words(
                .verdictEnded, ["none": writer.none, "date": writer.date(instant)])
            follow = writer.cause(end)
            why = [writer.details(end, key)].compactMap(\.self)
        case .toCome(let tier, let start):
            sign = .none
            headline = writer.words(.verdictNone, ["none": writer.none])
            follow = writer.words(.verdictToCome, ["tier": writer.tier(tier), "date": writer.date(start)])
            why = []
        case .nothing(let key, let reason):
            sign = .none
            headline = writer.words(.verdictNone, ["none": writer.none])
            follow = writer.words(.verdictNothing)
            let purchase = timeline.purchases.first { $0.key == key }
            let name = Tag.strong { Tag.bdi { purchase.map { names.purchase($0) } ?? key.externalID.text } }
            why = [writer.words(.named, ["name": name, "text": writer.words(reason.sentence)])]
        case .never:
            sign = .none
            headline = Tag.span(.class("bad")) { writer.words.text(.verdictNever) }
            follow = .nothing
            why = [writer.words(.verdictNeverWhy)]
        }
    }
}

/// The parts of a verdict's sentences.
private struct VerdictWriter {
    let timeline: Timeline
    let names: Names
    let words: Words
    let at: Instant
    let isNow: Bool

    var none: Markup { Tag.span(.class("bad")) { words.text(isNow ? .noAccess : .hadNoAccess) } }

    func tier(_ id: TierID) -> Markup { Tag.span(.class("tier")) { Tag.bdi { names.tier(id) } } }

    func date(_ instant: Instant) -> Markup { words.unbroken(instant) }

    func headline(_ access: Verdict.Access) -> Markup {
        let tier = tier(access.tier)
        let until = ["tier": tier, "date": date(access.until)]
        switch access.basis {
        case .plan(_, let end, true):
            return words(isNow ? .verdictRenews : .verdictRenewedThen, ["tier": tier, "date": date(end)])
        case .plan(_, _, false): return words(isNow ? .verdictRenewalOff : .verdictHad, until)
        case .grace(let grace):
            return words(
                grace.isLeeway ? .verdictLeeway : .verdictGrace, ["tier": tier, "date": date(grace.until)])
        case .window: return words(isNow ? .verdictGiven : .verdictHad, until)
        case .pass: return words(isNow ? .verdictHas : .verdictHad, until)
        }
    }

    /// The stretches of lower tiers that follow.
    func follow(_ access: Verdict.Access) -> Markup {
        guard !access.then.isEmpty else { return .nothing }
        let parts = access.then.prefix(3).map { stretch in
            words(.verdictThen, ["tier": Markup(names.tier(stretch.tier)), "date": date(stretch.endsAt)])
        }
        return words(.fullStop, ["text": words.joined(Array(parts), by: .listed)])
    }

    func why(_ access: Verdict.Access) -> [Markup] {
        var why: [Markup] = []
        switch access.basis {
        case .pass(let key, let end, let next):
            let values = ["name": name(key), "date": date(end)]
            why.append(words(key.source == .manual ? .whyGivenPass : .whyPass, values))
            if next.isEmpty, access.then.isEmpty {
                why.append(words(.whyNothingFollows))
            } else if !next.isEmpty {
                why.append(words(.whyFollows, ["names": list(next)]))
            }
        case .plan(let key, let end, let willRenew):
            why.append(
                words(willRenew ? .whyRenews : .whyRenewalOff, ["name": name(key), "date": date(end)]))
        case .window(let key): why.append(words(.whyGiven, ["name": name(key)]))
        case .grace(let grace):
            why.append(words(grace.isLeeway ? .whyLeeway : .whyGrace, ["name": name(grace.key)]))
        }
        if let next = access.then.first, let tier = next.tier {
            why.append(words(.whyThen, ["tier": Markup(names.tier(tier)), "date": date(next.startsAt)]))
        }
        if let grace = access.grace {
            why.append(
                words(
                    grace.isLeeway ? .whyLeewayBeside : .whyGraceBeside,
                    ["name": name(grace.key), "date": date(grace.until)]))
        }
        return why
    }

    func cause(_ end: Verdict.End) -> Markup {
        switch end {
        case .takenBack(by: .withdrawal, _, _): words(.endWithdrawn)
        case .takenBack: words(.endRefunded)
        case .ranOut: words(.endRanOut)
        case .ranOutUnattached: words(.endRanOutUnattached)
        case .paymentFailed: words(.endPaymentFailed)
        case .planEnded(let reason): words(reason.phrase)
        case .transferred: words(.endTransferred)
        }
    }

    func details(_ end: Verdict.End, _ key: PurchaseKey) -> Markup? {
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

    private func name(_ key: PurchaseKey) -> Markup {
        let purchase = timeline.purchases.first { $0.key == key }
        return Tag.bdi { purchase.map { names.purchase($0) } ?? key.externalID.text }
    }

    private func list(_ keys: [PurchaseKey]) -> Markup {
        let shown = keys.prefix(3).map { name($0) }
        let more = keys.count > 3 ? [Markup(words.text(.andMore, ["n": words.number(keys.count - 3)]))] : []
        return words.joined(shown + more, by: .listed)
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
    /// The sentence that says why a purchase gives nothing.
    var sentence: Phrase {
        switch self {
        case .revoked: .reasonRevoked
        case .refundedAfterUse: .reasonRefundedAfterUse
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
    /// The word for the state in a table.
    var word: Phrase {
        switch self {
        case .running: .stateRunning
        case .queued: .stateQueued
        case .paused: .statePaused
        case .finished: .stateFinished
        case .revoked: .stateRevoked
        case .grace: .stateGrace
        case .billingRetry: .stateRetry
        case .suspended: .stateSuspended
        case .recorded: .stateRecorded
        }
    }
}
