import Entitlements
import Testing

/// Random lives of plans, held against what a cached answer relies on (`semantics.md` §1, §7).
@Suite struct RenewalWalkTests {
    private static let seeds = UInt64(0)..<40
    private static let horizon: Instant = "2027-06-01"

    /// Passes are paused under plans, and from 02-20 on there is no default tier and one product less.
    private static let versions = CatalogueVersions(
        first: .init(number: 1, effectiveAt: .distantPast, catalogue: .example(pausing: true)),
        later: [
            .init(
                number: 2, effectiveAt: "02-20",
                catalogue: .example(defaultTier: nil, pausing: true, without: [.annual3]))
        ])

    private static func timeline(_ walk: RenewalWalk, leewayHours: Int, shuffledBy seed: UInt64 = 1) -> Timeline {
        Timeline(
            folding: walk.ledger(shuffledBy: seed), given: versions,
            settings: EntitlementSettings(sandboxAccess: .nobody, renewalLeewayHours: leewayHours))
    }

    /// The instants at which answers may differ in any way that a rule could bring about: every date of a fact, and it
    /// later by the leeway and by the grace of seats, each with its neighbours.
    private static func probes(_ walk: RenewalWalk, leewayHours: Int) -> [Instant] {
        let delays = [0, leewayHours, 24, leewayHours + 24].map { Int64($0) * Instant.millisecondsPerHour }
        let instants = walk.dates.flatMap { date in delays.map { date + $0 } }
        return Set(instants.flatMap { [$0 + -1, $0, $0 + 1] }).sorted()
    }

    /// The instants at which `timeline` says that it may change, from before everything on.
    private static func changes(of timeline: Timeline) -> [Instant] {
        var changes: [Instant] = ["2025-06-01"]
        while let last = changes.last, last < horizon {
            let next = timeline.nextChange(after: last)
            guard next > last else { return [] }
            changes.append(next)
        }
        return changes
    }

    @Test(arguments: [0, 24, 72]) func `between two changes of a plan an answer stays the same`(leewayHours: Int) {
        var differences: Set<String> = []
        for seed in Self.seeds {
            let walk = RenewalWalk(seed: seed)
            let timeline = Self.timeline(walk, leewayHours: leewayHours)
            var random = SplitMix64(seed: seed)
            let changes = Self.changes(of: timeline)
            #expect(changes.count > 2, "seed \(seed)")
            let probes = Self.probes(walk, leewayHours: leewayHours)
            for (from, until) in zip(changes, changes.dropFirst()) {
                let told = timeline.lasting(at: from)
                let length = min(until - from, 400 * Instant.millisecondsPerDay)
                let somewhere = from + Int64.random(in: 0..<length, using: &random)
                let inside = [from + 1, from + length / 2, somewhere, until + -1] + probes
                for instant in inside where from <= instant && instant < until {
                    let isSame = timeline.lasting(at: instant) == told
                    #expect(isSame, "seed \(seed), \(from.text), \(instant.text)")
                    guard isSame else { return }
                }
                if until < Self.horizon { differences.formUnion(told.differences(from: timeline.lasting(at: until))) }
            }
        }
        let all: Set = [
            "state", "will_renew", "renews_as", "grace_ends_at", "is_in_billing_retry", "expiration_reason",
            "price_consent", "offer", "is_trial", "product_id", "tier", "seats", "limits",
        ]
        #expect(differences == all, "each of them must change somewhere, else the walk proves nothing of it")
    }

    @Test func `what is told of a plan does not depend on the order of arrival`() {
        for seed in Self.seeds {
            let walk = RenewalWalk(seed: seed)
            let probes = walk.dates.sorted()
            let first = Self.timeline(walk, leewayHours: 24)
            for order in 2...4 as ClosedRange<UInt64> {
                let other = Self.timeline(walk, leewayHours: 24, shuffledBy: order)
                let differing = probes.first { first.lasting(at: $0) != other.lasting(at: $0) }
                #expect(differing == nil, "seed \(seed), \(differing?.text ?? "")")
            }
        }
    }

    @Test func `what is told of a plan agrees with itself`() {
        for seed in Self.seeds {
            let walk = RenewalWalk(seed: seed)
            let timeline = Self.timeline(walk, leewayHours: 24)
            for instant in walk.dates.sorted() {
                for entitlement in timeline.lasting(at: instant).entitlements {
                    guard let plan = entitlement.plan else { continue }
                    let label: Comment = "seed \(seed), \(instant.text), \(entitlement.key.externalID)"
                    #expect((entitlement.willRenew == true) == (plan.renewsAs != nil), label)
                    if plan.expirationReason != nil {
                        #expect(entitlement.willRenew == false && !plan.isInBillingRetry, label)
                        #expect(entitlement.state == .finished, label)
                        #expect(plan.priceConsent == nil, label)
                    }
                    switch entitlement.state {
                    case .billingRetry: #expect(plan.isInBillingRetry, label)
                    case .revoked: #expect(!plan.isInBillingRetry, label)
                    case .grace: #expect(plan.graceEndsAt.map { instant < $0 } ?? !plan.isInBillingRetry, label)
                    case .running, .queued, .paused, .finished, .suspended, .recorded: break
                    }
                    if plan.isTrial == true { #expect(plan.offer != nil, label) }
                }
            }
        }
    }
}

extension Status {
    /// The names of what two answers tell differently of plans.
    fileprivate func differences(from other: Status) -> Set<String> {
        var names: Set<String> = devices == other.devices ? [] : ["seats"]
        if limits != other.limits { names.insert("limits") }
        for (left, right) in zip(entitlements, other.entitlements) {
            if left.state != right.state { names.insert("state") }
            if left.willRenew != right.willRenew { names.insert("will_renew") }
            if left.productID != right.productID { names.insert("product_id") }
            if left.tier != right.tier { names.insert("tier") }
            guard let plan = left.plan, let later = right.plan else { continue }
            if plan.renewsAs != later.renewsAs { names.insert("renews_as") }
            if plan.graceEndsAt != later.graceEndsAt { names.insert("grace_ends_at") }
            if plan.isInBillingRetry != later.isInBillingRetry { names.insert("is_in_billing_retry") }
            if plan.expirationReason != later.expirationReason { names.insert("expiration_reason") }
            if plan.priceConsent != later.priceConsent { names.insert("price_consent") }
            if plan.offer != later.offer { names.insert("offer") }
            if plan.isTrial != later.isTrial { names.insert("is_trial") }
        }
        return names
    }
}
