import Entitlements
import Testing

/// What operators give, folded like what a store sold (`semantics.md` §7).
@Suite struct GrantTests {
    private static let month = Pass.length(days: 30, quantity: 1)

    private func states(_ story: Story, at instant: Instant) -> [String] {
        let status = story.status(at: instant)
        let reasons = Dictionary(uniqueKeysWithValues: status.explanation.map { ($0.key, $0.reason) })
        return status.entitlements.map { entitlement in
            let reason = reasons[entitlement.key]?.map { " \($0.rawValue)" } ?? ""
            return "\(entitlement.key.externalID) \(entitlement.state.rawValue)\(reason)"
        }
    }

    @Test func `added days are a pass in the lane`() {
        let story = Story().buys("p", at: "01-01").grants("g", .pass(tier: "pro", length: Self.month), at: "01-10")
        #expect(story.segments() == ["p 01-01..01-31", "g 01-31..03-02"])
        #expect(states(story, at: "01-20") == ["p running", "g queued queued_behind"])
        let entitlement = story.status(at: "01-20").entitlements[1]
        #expect(entitlement.key.source == .manual && entitlement.productID == nil && entitlement.kind == .pass)
        #expect(entitlement.tier == "pro" && entitlement.willRenew == nil)
        #expect(story.timeline().subscriptions.map(\.productID) == [.pro30, nil])
    }

    @Test func `a window lies over the lane until its end`() {
        let story = Story().buys("b", .basic30, at: "01-01").grants(
            "g", .window(tier: "pro", endsAt: "02-15"), at: "01-15")
        #expect(story.segments() == ["b 01-01..01-31", "g 01-15..02-15"])
        #expect(story.segments(in: .pausing) == ["b 01-01..01-15", "g 01-15..02-15", "b 02-15..03-03"])
        let status = story.status(at: "01-20")
        #expect(status.tier == "pro" && status.expiresAt == "02-15" && status.devices.allowed == 5)
        #expect(
            status.entitlements.map(\.kind) == [.pass, .plan] && status.entitlements.map(\.willRenew) == [nil, false])
        #expect(story.status(at: "02-15 12:00").state == .expired, "no leeway after an operator's window")
        #expect(states(story, at: "02-16") == ["b finished finished", "g finished finished"])
    }

    @Test func `a granted add-on has the terms of the product`() {
        let story = Story().grants("g", .addOn(.proOnly, app: .vpn), at: "01-05")
        #expect(story.status(at: "01-06").addOns.map(\.state) == [.suspended])
        let covered = story.buys("p", at: "01-05").status(at: "01-06")
        #expect(covered.addOns == [AddOn(productID: .proOnly, features: ["extra"], state: .active)])
        #expect(covered.features == ["extra", "premium", "standard"])
        #expect(Story().grants("g", .addOn(.seats, app: .vpn), at: "01-05").status(at: "01-06").devices.allowed == 2)
        #expect(story.status(at: "01-04").addOns == [])
    }

    @Test func `a granted add-on counts with the one that was bought`() {
        let story = Story().buys("a", .xyz, at: "01-01", type: .addOn)
            .grants("g", .addOn(.xyz, app: .vpn), at: "01-05").refunds("a", at: "01-10")
        #expect(story.status(at: "01-15").addOns.map(\.state) == [.active], "revoking one never shortens the other")
        #expect(story.withdraws("g", at: "01-12").status(at: "01-15").addOns.map(\.state) == [.revoked])
    }

    @Test func `a grant of what the catalogue does not sell is only recorded`() {
        let lost = Story().grants("g", .addOn("gone", app: .vpn), at: "01-05")
        #expect(states(lost, at: "01-06") == ["g recorded unknown_product"])
        let other = Story().grants("g", .addOn(.xyz, app: AppID("other")), at: "01-05")
        #expect(states(other, at: "01-06") == ["g recorded unknown_product"])
        let pass = Story().grants("g", .addOn(.pro30, app: .vpn), at: "01-05")
        #expect(states(pass, at: "01-06") == ["g recorded product_type_mismatch"])
        for gift in [Grant.Gift.pass(tier: "gone", length: 1), .window(tier: "gone", endsAt: "02-01")] {
            #expect(states(Story().grants("g", gift, at: "01-05"), at: "01-06") == ["g recorded unknown_product"])
        }
    }

    @Test func `granted credits are a lot`() {
        let story = Story().buys("c", .credits100, at: "01-01", type: .consumable)
            .grants("g", .credits(unit: "credit", amount: 50, expiresAt: nil), at: "01-05")
        #expect(story.status(at: "01-04").credits.map(\.spendable) == [100])
        #expect(story.status(at: "01-05").credits.map(\.spendable) == [150])
        #expect(story.withdraws("g", at: "01-06").status(at: "01-06").credits.map(\.spendable) == [100])
    }

    @Test(arguments: [
        (Grant.Gift.pass(tier: "pro", length: month), ["g 01-05..01-10"]),
        (.window(tier: "pro", endsAt: "02-01"), ["g 01-05..01-10"]),
    ])
    func `a revoked grant ends then`(_ gift: Grant.Gift, segments: [String]) {
        let story = Story().grants("g", gift, at: "01-05").withdraws("g", at: "01-10")
        #expect(story.segments() == segments)
        #expect(states(story, at: "01-09") == ["g running"])
        #expect(states(story, at: "01-10") == ["g revoked revoked"])
        #expect(story.timeline().disposition(of: .grant("g"), at: "01-10") == .revoked)
        #expect(story.segments(knownAt: "01-09").count == 1)
        #expect(story.withdraws("g", at: "01-20").segments() == segments, "the first revocation holds")
    }

    @Test func `an operator revokes a chain with all its periods`() {
        let period = { (name: String, at: Instant, until: Instant) in
            VerifiedPurchase.state(of: "w", .proMonthly, .plan, transaction: name, at: at, until: until)
        }
        let story = Story().attaches(period("1", "01-01", "02-01"), at: "01-01").withdraws("w", at: "01-10")
            .records(period("2", "02-01", "03-01"), at: "02-01")
        #expect(story.segments() == ["w 01-01..01-10"])
        #expect(states(story, at: "02-15") == ["w revoked revoked"])
        #expect(story.status(at: "02-15").entitlements.map(\.willRenew) == [false])
    }

    @Test func `a grant that nobody has gives nothing`() {
        let grant = Grant(key: .grant("g"), gift: .pass(tier: "pro", length: Self.month), grantedAt: "01-05")
        #expect(Story().told(.granted(grant), at: "01-05").timeline().purchases.isEmpty)
    }

    @Test func `a grant moves like a purchase`() {
        var world = World()
        world.apply(
            OperatorAct(on: .alice, note: .support).give(
                .addDays(30, of: "pro"), as: ExternalID("g"), given: world.history(at: "01-01"), in: .example),
            at: "01-01")
        world.move("g", from: .alice, to: "bob", at: "01-11")
        #expect(world.segments(of: .alice) == ["g 01-01..01-11"])
        #expect(world.segments(of: "bob") == ["g 01-11..01-31"])
        world.apply(
            OperatorAct(on: "bob", note: .support)
                .withdraw(.grant("g"), given: world.history(at: "01-15"), in: .example), at: "01-15")
        #expect(world.segments(of: "bob") == ["g 01-11..01-15"])
    }
}
