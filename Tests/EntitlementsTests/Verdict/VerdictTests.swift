import Entitlements
import Testing

/// The short answer, as a case: each has a sentence of its own on a page.
@Suite struct VerdictTests {
    private func verdict(
        _ story: Story, at: Instant, settings: EntitlementSettings = .everyone, knownAt: Instant? = nil
    ) -> Verdict {
        Verdict(of: story.timeline(settings: settings, knownAt: knownAt), at: at)
    }

    private func key(_ id: String, _ story: Story) -> PurchaseKey {
        story.timeline().purchases.first { $0.key.externalID.text == id }?.key ?? .grant(id)
    }

    private static let plan = VerifiedPurchase.state(
        of: "s", .proMonthly, .plan, transaction: "t1", period: "1", at: "01-01", until: "02-01")

    private func renewal(_ willRenew: Bool, isInRetry: Bool = false, grace: Instant? = nil, signedAt: Instant = "02-01")
        -> Statement
    {
        .renewal(
            VerifiedRenewal(
                key: Self.plan.key, signedAt: signedAt, willRenew: willRenew, graceEndsAt: grace, isInRetry: isInRetry))
    }

    @Test func `a pass runs, and nothing follows`() {
        let story = Story().buys("p1", at: "01-01")
        #expect(
            verdict(story, at: "01-10")
                == .access(
                    Verdict.Access(
                        tier: "pro", until: "01-31", then: [],
                        basis: .pass(key("p1", story), until: "01-31", then: []), grace: nil)))
    }

    @Test func `passes of one tier follow each other, and a lower tier comes after them`() {
        let story = Story().buys("b", .basic30, at: "01-01").buys("x", at: "01-10").buys("y", at: "01-12")
        guard case .access(let access) = verdict(story, at: "01-20") else {
            return #expect(Bool(false), "another case")
        }
        #expect(access.tier == "pro" && access.until == "03-11")
        #expect(access.basis == .pass(key("x", story), until: "02-09", then: [key("y", story)]))
        #expect(access.then == [Drawing.Stretch(tier: "basic", startsAt: "03-11", endsAt: "04-01")])
    }

    @Test func `a plan says whether it renews`() {
        let story = Story().attaches(Self.plan, at: "01-01")
        guard case .access(let access) = verdict(story, at: "01-10") else {
            return #expect(Bool(false), "another case")
        }
        #expect(access.basis == .plan(Self.plan.key, until: "02-01", willRenew: true))
        guard case .access(let off) = verdict(story.states(renewal(false, signedAt: "01-05"), at: "01-05"), at: "01-10")
        else {
            return #expect(Bool(false), "another case")
        }
        #expect(off.basis == .plan(Self.plan.key, until: "02-01", willRenew: false))
    }

    @Test func `leeway is ours, and grace the store's`() {
        let story = Story().attaches(Self.plan, at: "01-01")
        guard case .access(let late) = verdict(story, at: "02-01 12:00") else {
            return #expect(Bool(false), "another case")
        }
        #expect(late.basis == .grace(Verdict.Grace(key: Self.plan.key, until: "02-02", isLeeway: true)))
        let granted = story.states(renewal(true, isInRetry: true, grace: "02-15"), at: "02-01")
        guard case .access(let access) = verdict(granted, at: "02-05") else {
            return #expect(Bool(false), "another case")
        }
        #expect(access.basis == .grace(Verdict.Grace(key: Self.plan.key, until: "02-15", isLeeway: false)))
    }

    @Test func `a plan in grace that no longer renews is named apart from a pass of its tier`() {
        let story = Story().attaches(Self.plan, at: "01-01").buys("p1", at: "01-20")
            .states(renewal(false, grace: "02-15"), at: "02-01")
        guard case .access(let access) = verdict(story, at: "02-05") else {
            return #expect(Bool(false), "another case")
        }
        #expect(access.basis == .pass(key("p1", story), until: "02-19", then: []))
        #expect(access.grace == Verdict.Grace(key: Self.plan.key, until: "02-15", isLeeway: false))
    }

    @Test func `access that ended says from what, and why`() {
        let day = Instant.millisecondsPerDay
        let bought = Story().buys("p1", at: "01-01")
        #expect(verdict(bought, at: "02-10") == .ended(.ranOut, of: key("p1", bought), at: "01-31"))
        let late = Story().buys("p1", at: "01-01", attachedAt: "02-05")
        #expect(verdict(late, at: "02-10") == .ended(.ranOutUnattached, of: key("p1", late), at: "01-31"))
        let refunded = bought.refunds("p1", at: "01-12")
        #expect(
            verdict(refunded, at: "02-10")
                == .ended(
                    .takenBack(by: .refund, after: 11 * day, of: 30 * day), of: key("p1", bought), at: "01-12"))
        let withdrawn = bought.withdraws("p1", at: "01-12")
        #expect(
            verdict(withdrawn, at: "02-10")
                == .ended(
                    .takenBack(by: .withdrawal, after: 11 * day, of: 30 * day), of: key("p1", bought), at: "01-12"))
        let gone = bought.givesAway("p1", at: "01-12", ran: 11 * day)
        #expect(verdict(gone, at: "02-10") == .ended(.transferred, of: key("p1", bought), at: "01-12"))
    }

    @Test func `a payment that failed is no end of the plan`() {
        let story = Story().attaches(Self.plan, at: "01-01").states(renewal(true, isInRetry: true), at: "02-01")
        #expect(verdict(story, at: "02-05") == .ended(.paymentFailed, of: Self.plan.key, at: "02-01"))
        let over = Story().attaches(Self.plan, at: "01-01").states(renewal(false, signedAt: "01-05"), at: "01-05")
        #expect(verdict(over, at: "02-05") == .ended(.planEnded(nil), of: Self.plan.key, at: "02-01"))
    }

    @Test func `the newest purchase gives nothing, and says why`() {
        let story = Story().buys("p1", at: "01-01").buys("u", "unknown", at: "02-10")
        #expect(verdict(story, at: "02-11") == .nothing(key("u", story), .unknownProduct))
        let only = Story().buys("u", "unknown", at: "01-10")
        #expect(verdict(only, at: "02-11") == .nothing(key("u", only), .unknownProduct))
        let earlier = Story().buys("u", "unknown", at: "01-01").buys("p1", at: "01-02")
        #expect(verdict(earlier, at: "02-11") == .ended(.ranOut, of: key("p1", earlier), at: "02-01"))
    }

    @Test func `what was taken back before it gave anything is no purchase of nothing`() {
        let story = Story().buys("p1", at: "01-01").buys("p2", at: "01-05").refunds("p2", at: "01-10")
        #expect(verdict(story, at: "02-10") == .ended(.ranOut, of: key("p1", story), at: "01-31"))
        let only = Story().buys("p1", at: "01-10").refunds("p1", at: "01-10", signedAt: "01-10 00:00:01")
        #expect(verdict(only, at: "01-12") == .nothing(key("p1", only), .revoked))
    }

    @Test func `sandbox alone, add-ons alone, what begins later, and nothing at all`() {
        let sandbox = Story().buys("s", at: "01-01", environment: .sandbox)
        #expect(verdict(sandbox, at: "01-10", settings: .production) == .sandboxOnly("pro", until: "01-31"))
        let addOn = Story().buys("a", .xyz, at: "01-01", type: .addOn)
        #expect(verdict(addOn, at: "01-10") == .addOns([.xyz]))
        #expect(verdict(Story().buys("p1", at: "03-01"), at: "01-10") == .toCome("pro", from: "03-01"))
        #expect(verdict(Story(), at: "01-10") == .never)
    }

    @Test func `the Sandbox hides nothing of what happened in production`() {
        let refunded = Story().buys("p1", at: "01-01").refunds("p1", at: "01-12")
        let story = refunded.buys("s", at: "01-20", environment: .sandbox)
        let ended = Verdict.End.takenBack(
            by: .refund, after: 11 * Instant.millisecondsPerDay, of: 30 * Instant.millisecondsPerDay)
        #expect(verdict(story, at: "01-25", settings: .production) == .ended(ended, of: key("p1", story), at: "01-12"))
        #expect(verdict(story, at: "03-25", settings: .production) == .ended(ended, of: key("p1", story), at: "01-12"))
    }

    @Test func `whoever took a purchase back first is told, the store or an operator`() {
        func end(_ story: Story) -> Drawing.Bar.Cause? {
            guard case .ended(.takenBack(by: let cause, _, _), _, _) = verdict(story, at: "01-25") else { return nil }
            return cause
        }
        let bought = Story().buys("p1", at: "01-01")
        #expect(end(bought.withdraws("p1", at: "01-10").refunds("p1", at: "01-12")) == .withdrawal)
        #expect(end(bought.refunds("p1", at: "01-10").withdraws("p1", at: "01-12")) == .refund)
        let reversed = bought.refunds("p1", at: "01-05").reverses("p1", signedAt: "01-07")
        #expect(end(reversed.withdraws("p1", at: "01-12")) == .withdrawal)
        #expect(end(bought.refunds("p1", at: "01-05", share: 10_000).withdraws("p1", at: "01-12")) == .withdrawal)
        let plan = Story().attaches(Self.plan, at: "01-01").told(.withdrawn(Self.plan.key), at: "01-10")
        #expect(end(plan) == .withdrawal)
    }

    @Test func `what was not known yet is not told`() {
        let story = Story().buys("p1", at: "01-01").refunds("p1", at: "01-11", recordedAt: "01-20")
        guard case .access = verdict(story, at: "01-15", knownAt: "01-15") else {
            return #expect(Bool(false), "another case")
        }
        guard case .ended = verdict(story, at: "01-15") else { return #expect(Bool(false), "another case") }
    }
}
