package import Entitlements
package import LedgerStore

/// The JSON of a status (`api.md`, "Status").
package struct StatusBody {
    /// The parts of the answer that a query adds.
    package struct Parts {
        /// True if segments that have ended are listed too.
        let history: Bool
        let explanation: AnswerExplanation?
        /// The App Store's questions about refunds, which an explanation lists.
        let refundQuestions: [ConsumptionRequest]

        package init(history: Bool = false) {
            self.init(history: history, nil, refundQuestions: [])
        }

        /// The parts that a query asks for. `explanation` is nil unless it asks for an explanation.
        init(history: Bool, _ explanation: AnswerExplanation?, refundQuestions: [ConsumptionRequest]) {
            self.history = history
            self.explanation = explanation
            self.refundQuestions = refundQuestions
        }

        /// The explanation of a status, with the first page of the acts in `ledger`.
        package init(
            explaining ledger: UserLedger, at: Instant, under settings: EntitlementSettings,
            given catalogue: CatalogueVersions, calling devices: DeviceNames = DeviceNames(),
            refundQuestions: [ConsumptionRequest] = []
        ) {
            self.init(
                history: false,
                AnswerExplanation(
                    acts: ActsRequest().page(of: ledger, at: at, under: settings), devices: devices,
                    under: ExplainedUnder(settings, catalogue)), refundQuestions: refundQuestions)
        }
    }

    package let bytes: [UInt8]
    /// The offset of the bytes behind the member `at`.
    private let substanceStart: Int
    /// The tag of everything but the member `at`, so it stays the same while only the time passes.
    let entityTag: EntityTag

    package init(_ status: Status, _ parts: Parts) {
        var json = JSONWriter(capacity: 2048)
        substanceStart = json.append(status, parts)
        bytes = json.bytes
        let subject = status.isKnown ? status.user.text : status.user.text + " unknown"
        entityTag = EntityTag(of: Array(subject.utf8) + bytes[substanceStart...])
    }

    /// The answer about the instant `at`, made from a stored one.
    init(of user: UserID, at: Instant, _ answer: StandingAnswer) {
        var json = JSONWriter(capacity: answer.substance.count + 256)
        substanceStart = json.append(answer, of: user, at: at)
        bytes = json.bytes
        entityTag = EntityTag(text: answer.entityTag)
    }

    /// The number of the answer's form. It grows with every change of the form or of a rule by which the same ledger
    /// gets another answer, so that no earlier answer is sent (`StandingFormatTests`).
    static let formNumber: UInt32 = 4
    package static let format = StandingFormat(number: formNumber, write: answer)

    /// The answer to store for a status.
    @Sendable static func answer(_ status: Status) -> StandingAnswer {
        let body = StatusBody(status, Parts())
        return StandingAnswer(
            substance: Array(body.substance), entityTag: body.entityTag.text, isKnown: status.isKnown)
    }

    /// The bytes behind the member `at`.
    var substance: ArraySlice<UInt8> { bytes[substanceStart...] }
}

extension JSONWriter {
    /// Writes a stored answer as one value.
    ///
    /// - Returns: The offset of the bytes behind the member `at`.
    @discardableResult
    mutating func append(_ answer: StandingAnswer, of user: UserID, at: Instant) -> Int {
        beginObject()
        member("user_id", user.text)
        member("known", answer.isKnown)
        member("at", at)
        let start = bytes.count
        endObject(with: answer.substance)
        return start
    }

    /// Writes a status as one value.
    ///
    /// - Returns: The offset of the bytes behind the member `at`.
    @discardableResult
    mutating func append(_ status: Status, _ parts: StatusBody.Parts) -> Int {
        beginObject()
        member("user_id", status.user.text)
        member("known", status.isKnown)
        member("at", status.at)
        let start = bytes.count
        appendAccess(of: status)
        name("entitlements")
        array(status.entitlements) { $0.append($1) }
        name("segments")
        array(status.segments.lazy.filter { parts.history || $0.endsAt > status.at }) { $0.append($1) }
        name("add_ons")
        array(status.addOns) { $0.append($1) }
        name("credits")
        array(status.credits) { $0.append($1) }
        name("devices")
        append(status.devices)
        name("offers")
        array(status.introductoryOffers) { $0.append($1) }
        name("explanation")
        array(parts.explanation == nil ? [] : status.explanation) { $0.append($1) }
        if let explanation = parts.explanation {
            member(acts: explanation.acts.acts, explanation.devices)
            member("refund_questions", objects: parts.refundQuestions) { $0.members(of: $1) }
            member(endOf: explanation)
        }
        endObject()
        return start
    }

    /// Writes the members that say whether the user has access, until when, and what it unlocks.
    mutating func appendAccess(of status: Status) {
        member("active", status.active)
        member("tier", status.tier?.text)
        member("tier_rank", status.tierRank)
        member("expires_at", exactly: "expires_at_ms", status.expiresAt)
        member("access_expires_at", exactly: "access_expires_at_ms", status.accessExpiresAt)
        member("state", status.state.rawValue)
        name("features")
        array(status.features) { $0.value($1.text) }
        name("limits")
        appendLimits(status.limits)
    }

    /// Writes the limits in the order of their names, so that equal limits have equal bytes and the tag stays the same.
    mutating func appendLimits(_ limits: [String: Int]) {
        beginObject()
        for (limit, value) in limits.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            name(limit)
            self.value(value)
        }
        endObject()
    }

    private mutating func append(_ entitlement: Entitlement) {
        beginObject()
        member("source", entitlement.key.source.text)
        member("external_id", entitlement.key.externalID.text)
        member("product_id", entitlement.productID?.text)
        member("store_product_id", entitlement.storeProductID?.text)
        member("kind", entitlement.kind?.rawValue)
        member("quantity", entitlement.quantity)
        member("tier", entitlement.tier?.text)
        member("state", entitlement.state.rawValue)
        member("starts_at", exactly: "starts_at_ms", entitlement.startsAt)
        member("ends_at", exactly: "ends_at_ms", entitlement.endsAt)
        member("duration_seconds", entitlement.length.map { Int($0 / 1_000) })
        member("will_renew", entitlement.willRenew)
        member("environment", entitlement.key.environment.rawValue)
        if let plan = entitlement.plan { members(of: plan) }
        endObject()
    }

    /// Writes the members that only plans have.
    mutating func members(of plan: PlanDetails) {
        member("renews_as", plan.renewsAs?.text)
        member("grace_ends_at", exactly: "grace_ends_at_ms", plan.graceEndsAt)
        member("is_in_billing_retry", plan.isInBillingRetry)
        member("expiration_reason", plan.expirationReason?.rawValue)
        member("price_consent", plan.priceConsent?.rawValue)
        member("offer", plan.offer)
        member("is_trial", plan.isTrial)
    }

    private mutating func append(_ segment: Segment) {
        beginObject()
        member("lane", segment.lane.text)
        member("tier", segment.tier.text)
        member("tier_rank", segment.tierRank)
        member("source", segment.key.source.text)
        member("external_id", segment.key.externalID.text)
        member("product_id", segment.productID?.text)
        member("store_product_id", segment.storeProductID?.text)
        member("environment", segment.key.environment.rawValue)
        member("starts_at", exactly: "starts_at_ms", segment.startsAt)
        member("ends_at", exactly: "ends_at_ms", segment.endsAt)
        endObject()
    }

    mutating func append(_ addOn: AddOn) {
        beginObject()
        member("product_id", addOn.productID.text)
        name("features")
        array(addOn.features) { $0.value($1.text) }
        member("state", addOn.state.rawValue)
        endObject()
    }

    mutating func append(_ balance: CreditBalance) {
        beginObject()
        member("unit", balance.unit)
        member("environment", balance.environment.rawValue)
        member("spendable", balance.spendable)
        member("debt", balance.debt)
        member("reserved", balance.reserved)
        endObject()
    }

    /// Writes the seats as one value.
    mutating func append(_ seats: DeviceSeats) {
        beginObject()
        member("allowed", seats.allowed)
        member("active", seats.active)
        member("suspended", seats.suspended)
        endObject()
    }

    private mutating func append(_ offer: IntroductoryOffer) {
        beginObject()
        member("subscription_group", offer.subscriptionGroup)
        member("introductory_eligible", offer.isOpen)
        endObject()
    }

    private mutating func append(_ explanation: Explanation) {
        beginObject()
        member("source", explanation.key.source.text)
        member("external_id", explanation.key.externalID.text)
        member("environment", explanation.key.environment.rawValue)
        member("product_id", explanation.productID?.text)
        name("facts")
        array(explanation.facts) { $0.append($1) }
        name("gives")
        array(explanation.gives) { $0.append($1) }
        member("reason", explanation.reason?.rawValue)
        endObject()
    }

    private mutating func append(_ fact: PurchaseFact) {
        beginObject()
        member("kind", fact.kind.rawValue)
        member("transaction_id", fact.transactionID?.text)
        member("signed_at", exactly: "signed_at_ms", fact.signedAt)
        member("revoked_at", exactly: "revoked_at_ms", fact.revocation?.revokedAt)
        member("revoked_share", fact.revocation?.share)
        member("recorded_at", exactly: "recorded_at_ms", fact.recordedAt)
        endObject()
    }

    mutating func append(_ interval: Interval) {
        beginObject()
        member("starts_at", exactly: "starts_at_ms", interval.startsAt)
        member("ends_at", exactly: "ends_at_ms", interval.endsAt)
        endObject()
    }
}
