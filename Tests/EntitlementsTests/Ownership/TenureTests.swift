import Entitlements
import Testing

/// A transfer moves the rest (`semantics.md` §5).
@Suite struct TenureTests {
    private static let bob: UserID = "bob"

    /// U1 has p1 and p2, U2 has q; p1 moves.
    private static let moved: World = {
        var world = World()
        world.attach(.state(of: "p1", at: "01-01"), to: .alice, at: "01-01")
        world.attach(.state(of: "q", at: "01-05"), to: bob, at: "01-05")
        world.attach(.state(of: "p2", at: "01-10"), to: .alice, at: "01-10")
        world.move("p1", from: .alice, to: bob, at: "01-25")
        return world
    }()

    private func check(
        _ world: World, gives alices: [String], and bobs: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(world.segments(of: .alice) == alices, sourceLocation: sourceLocation)
        #expect(world.segments(of: Self.bob) == bobs, sourceLocation: sourceLocation)
    }

    /// A state of `p1` that comes to both ledgers.
    private func records(
        _ world: World, refundedAt: Instant?, share: Int = Revocation.fullShare, signedAt: Instant
    ) -> World {
        var world = world
        let state = VerifiedPurchase.state(
            of: "p1", at: "01-01", revocation: refundedAt.map { Revocation(revokedAt: $0, share: share) },
            signedAt: signedAt)
        world.record(state, at: signedAt)
        return world
    }

    private func doing(_ world: World, _ id: String, of user: UserID, at instant: Instant) -> String? {
        let status = world.status(of: user, at: instant)
        guard let entitlement = status.entitlements.first(where: { $0.key.externalID.text == id }) else { return nil }
        let reason = status.explanation.first { $0.key == entitlement.key }?.reason
        return entitlement.state.rawValue + (reason.map { " \($0.rawValue)" } ?? "")
    }

    @Test func `the receiver gets what the giver had not run`() {
        check(
            Self.moved, gives: ["p1 01-01..01-25", "p2 01-25..02-24"], and: ["q 01-05..02-04", "p1 02-04..02-10"])
    }

    @Test func `the giver's purchase says where it went, and the receiver's waits`() {
        #expect(doing(Self.moved, "p1", of: .alice, at: "01-24 23:59:59.999") == "running")
        #expect(doing(Self.moved, "p1", of: .alice, at: "01-25") == "finished transferred")
        #expect(doing(Self.moved, "p1", of: Self.bob, at: "01-24") == "queued queued_behind")
        #expect(doing(Self.moved, "p1", of: Self.bob, at: "01-25") == "queued queued_behind")
        #expect(doing(Self.moved, "p1", of: Self.bob, at: "02-05") == "running")
        #expect(doing(Self.moved, "p1", of: Self.bob, at: "02-10") == "finished finished")
        let explanation = Self.moved.status(of: .alice, at: "02-01").explanation.first { $0.reason == .transferred }
        #expect(explanation?.gives == [.init(startsAt: "01-01", endsAt: "01-25")])
        #expect(explanation?.facts.map(\.kind) == [.state, .bound, .gaveAway])
        #expect(
            Self.moved.status(of: Self.bob, at: "02-01").explanation.last?.facts.map(\.kind) == [.state, .received])
    }

    @Test func `a pass has a disposition only for the user who has it`() {
        let (alice, bob) = (Self.moved.timeline(of: .alice), Self.moved.timeline(of: Self.bob))
        #expect(alice.disposition(of: .pass("p1"), at: "01-24") == .counts)
        #expect(alice.disposition(of: .pass("p1"), at: "01-25") == nil)
        #expect(bob.disposition(of: .pass("p1"), at: "01-24") == nil)
        #expect(bob.disposition(of: .pass("p1"), at: "01-25") == .counts)
        #expect(bob.disposition(of: .pass("p1"), at: "06-01") == .counts)
    }

    @Test func `both sides have their row of what the pass covered`() {
        let rows = { (user: UserID) in
            Self.moved.timeline(of: user).subscriptions.map {
                "\($0.key.externalID) \($0.startsAt.text)..\($0.expiresAt.text)"
            }
        }
        #expect(rows(.alice) == ["p1 01-01..01-25", "p2 01-25..02-24"])
        #expect(rows(Self.bob) == ["p1 02-04..02-10", "q 01-05..02-04"])
    }

    @Test func `before the transfer is known, nothing has moved`() {
        #expect(
            Self.moved.segments(of: .alice, knownAt: "01-24 23:59:59.999") == ["p1 01-01..01-31", "p2 01-31..03-02"])
        #expect(Self.moved.segments(of: Self.bob, knownAt: "01-24 23:59:59.999") == ["q 01-05..02-04"])
    }

    @Test func `a refund after the move stops the pass where it is`() {
        check(
            records(Self.moved, refundedAt: "02-06", signedAt: "02-07"),
            gives: ["p1 01-01..01-25", "p2 01-25..02-24"], and: ["q 01-05..02-04", "p1 02-04..02-06"])
    }

    @Test func `a prorated refund counts what was run in both lanes`() {
        check(
            records(Self.moved, refundedAt: "02-01", share: 10000, signedAt: "02-01"),
            gives: ["p1 01-01..01-25", "p2 01-25..02-24"], and: ["q 01-05..02-04", "p1 02-04..02-07"])
        check(
            records(Self.moved, refundedAt: "02-01", share: 20000, signedAt: "02-01"),
            gives: ["p1 01-01..01-25", "p2 01-25..02-24"], and: ["q 01-05..02-04"])
    }

    @Test func `a refund that reaches back before the move reaches both sides`() {
        check(
            records(Self.moved, refundedAt: "01-20", signedAt: "01-28"),
            gives: ["p1 01-01..01-20", "p2 01-20..02-19"], and: ["q 01-05..02-04"])
    }

    @Test func `a reversal gives the rest to whom it moved`() {
        let refunded = records(Self.moved, refundedAt: "01-28", signedAt: "01-28")
        check(
            records(refunded, refundedAt: nil, signedAt: "02-08"),
            gives: ["p1 01-01..01-25", "p2 01-25..02-24"], and: ["q 01-05..02-04", "p1 02-08..02-14"])
    }

    @Test func `a refund before the move moves what a reversal may give back`() {
        var world = World()
        world.attach(.state(of: "p1", at: "01-01"), to: .alice, at: "01-01")
        world = records(world, refundedAt: "01-11", signedAt: "01-11")
        world.move("p1", from: .alice, to: Self.bob, at: "01-20")
        check(world, gives: ["p1 01-01..01-11"], and: [])
        #expect(doing(world, "p1", of: Self.bob, at: "01-21") == "revoked revoked")
        #expect(world.timeline(of: Self.bob).disposition(of: .pass("p1"), at: "01-21") == .revoked)
        check(
            records(world, refundedAt: nil, signedAt: "02-01"), gives: ["p1 01-01..01-11"], and: ["p1 02-01..02-21"])
    }

    @Test func `what is learned later of the giver's lane never runs the pass twice`() {
        var world = World()
        world.attach(.state(of: "p0", at: "01-01"), to: .alice, at: "01-01")
        world.attach(.state(of: "p1", at: "01-10"), to: .alice, at: "01-10")
        world.move("p1", from: .alice, to: Self.bob, at: "01-20")
        world.record(
            .state(
                of: "p0", at: "01-01", revocation: Revocation(revokedAt: "01-15", share: 100_000), signedAt: "01-22"),
            at: "01-22")
        check(world, gives: ["p0 01-01..01-15"], and: ["p1 01-20..02-19"])
    }

    @Test func `a pass may go away and come back`() {
        var world = World()
        world.attach(.state(of: "p1", at: "01-01"), to: .alice, at: "01-01")
        world.move("p1", from: .alice, to: Self.bob, at: "01-11")
        world.move("p1", from: Self.bob, to: .alice, at: "01-21")
        check(world, gives: ["p1 01-01..01-11", "p1 01-21..01-31"], and: ["p1 01-11..01-21"])
        #expect(doing(world, "p1", of: .alice, at: "01-15") == "finished transferred")
        #expect(doing(world, "p1", of: .alice, at: "01-25") == "running")
        #expect(doing(world, "p1", of: .alice, at: "01-31") == "finished finished")
        #expect(doing(world, "p1", of: Self.bob, at: "01-25") == "finished transferred")
        #expect(world.status(of: .alice, at: "01-25").entitlements.map(\.startsAt) == ["01-21"])
        #expect(world.status(of: .alice, at: "01-25").entitlements.map(\.endsAt) == ["01-31"])
        let refunded = records(world, refundedAt: "01-26", signedAt: "01-26")
        check(refunded, gives: ["p1 01-01..01-11", "p1 01-21..01-26"], and: ["p1 01-11..01-21"])
    }

    @Test func `a pass that is preempted where it came is paused`() {
        var world = Self.moved
        world.attach(.state(of: "b", .basic30, at: "01-01"), to: "carol", at: "01-01")
        world.move("b", from: "carol", to: Self.bob, at: "02-20")
        world.attach(.state(of: "x", at: "02-25"), to: Self.bob, at: "02-25")
        #expect(doing(world, "b", of: Self.bob, at: "02-20") == "finished finished", "it had run out elsewhere")
        world.attach(.state(of: "c", .basic30, at: "02-15"), to: "carol", at: "02-15")
        world.move("c", from: "carol", to: Self.bob, at: "02-24")
        #expect(doing(world, "c", of: Self.bob, at: "02-24") == "running")
        #expect(doing(world, "c", of: Self.bob, at: "02-26") == "paused paused_under")
    }

    @Test func `an add-on moves whole`() {
        var world = World()
        world.attach(.state(of: "a", .seats, .addOn, at: "01-05"), to: .alice, at: "01-05")
        world.move("a", from: .alice, to: Self.bob, at: "01-20")
        let seats = { (user: UserID, at: Instant) in world.status(of: user, at: at).devices.allowed }
        #expect(seats(.alice, "01-19") == 2 && seats(Self.bob, "01-19") == 0)
        #expect(seats(.alice, "01-20") == 0 && seats(Self.bob, "01-20") == 2)
        #expect(world.status(of: .alice, at: "01-20").addOns == [])
        #expect(world.status(of: Self.bob, at: "01-20").addOns.map(\.state) == [.active])
        #expect(doing(world, "a", of: .alice, at: "01-20") == "finished transferred")
        #expect(
            world.status(of: .alice, at: "02-01").explanation[0].gives == [.init(startsAt: "01-05", endsAt: "01-20")])
        #expect(world.status(of: Self.bob, at: "02-01").explanation[0].gives == [.init(startsAt: "01-20", endsAt: nil)])
    }

    @Test func `a plan moves with its periods, its grace and its renewals`() {
        var world = World()
        let period = { (name: String, at: Instant, until: Instant) in
            VerifiedPurchase.state(of: "w", .proMonthly, .plan, transaction: name, at: at, until: until)
        }
        world.attach(period("1", "01-01", "02-01"), to: .alice, at: "01-01")
        world.move("w", from: .alice, to: Self.bob, at: "01-20")
        check(world, gives: ["w 01-01..01-20"], and: ["w 01-20..02-01"])
        #expect(world.status(of: .alice, at: "02-01 12:00").state == .expired)
        #expect(world.status(of: Self.bob, at: "02-01 12:00").state == .grace)
        #expect(world.status(of: .alice, at: "01-25").entitlements.map(\.willRenew) == [false])
        #expect(world.status(of: Self.bob, at: "01-25").entitlements.map(\.willRenew) == [true])
        world.record(period("2", "02-01", "03-01"), at: "02-01")
        check(world, gives: ["w 01-01..01-20"], and: ["w 01-20..02-01", "w 02-01..03-01"])
    }

    @Test func `a pausing window pauses only who has it`() {
        var world = World()
        world.attach(.state(of: "b", .basic30, at: "01-01"), to: .alice, at: "01-01")
        world.attach(
            .state(of: "w", .proMonthly, .plan, at: "01-10", until: "02-10"), to: .alice, at: "01-10")
        world.move("w", from: .alice, to: Self.bob, at: "01-15")
        #expect(
            world.timeline(of: .alice, in: .pausing).planned.map(\.segment.text) == [
                "b 01-01..01-10", "w 01-10..01-15", "b 01-15..02-05",
            ])
    }

    @Test func `what is only recorded moves too, and counts where it is once the catalogue learns it`() {
        var world = World()
        world.attach(.state(of: "p", "new.30", at: "01-01"), to: .alice, at: "01-01")
        world.move("p", from: .alice, to: Self.bob, at: "01-11")
        #expect(doing(world, "p", of: .alice, at: "01-12") == "finished transferred")
        #expect(doing(world, "p", of: Self.bob, at: "01-12") == "recorded unknown_product")
        let learned = CatalogueVersions(
            .example(adding: [Product(id: "new.30", app: .vpn, terms: .pass(tier: "pro", days: 30))]))
        #expect(world.timeline(of: .alice, in: learned).planned.map(\.segment.text) == [])
        #expect(world.timeline(of: Self.bob, in: learned).planned.map(\.segment.text) == ["p 01-11..02-10"])
    }

    @Test func `a pass that had ended before it was attached says so only to whom it was first`() {
        var world = World()
        world.attach(.state(of: "p", at: "01-01"), to: .alice, at: "03-01")
        #expect(world.timeline(of: .alice).disposition(of: .pass("p"), at: "03-01") == .endedBeforeAttached)
        world.move("p", from: .alice, to: Self.bob, at: "03-02")
        #expect(world.timeline(of: Self.bob).disposition(of: .pass("p"), at: "03-02") == .counts)
        #expect(doing(world, "p", of: Self.bob, at: "03-02") == "finished finished")
        #expect(world.segments(of: Self.bob) == [])
    }
}
