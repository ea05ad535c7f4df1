import Entitlements
import Testing

/// The bars of a lane, which a page draws and writes as a table.
@Suite struct DrawingTests {
    /// The rows as lines such as `b: finished 01-01..01-10, paused 01-10..02-09 behind x`.
    private func rows(
        _ story: Story, at: Instant, in catalogue: CatalogueVersions = .example,
        settings: EntitlementSettings = .everyone
    ) -> [String] {
        Drawing(of: story.timeline(in: catalogue, settings: settings), at: at).rows.map { row in
            "\(row.key.externalID): " + row.bars.map(\.text).joined(separator: ", ")
        }
    }

    private func access(_ story: Story, at: Instant = "01-15") -> [String] {
        Drawing(of: story.timeline(), at: at).access.map {
            "\($0.tier?.text ?? "none") \($0.startsAt.text)..\($0.endsAt.text)"
        }
    }

    private static let v4 = Story().buys("b", .basic30, at: "01-01").buys("x", at: "01-10")

    @Test func `the running pass comes first, and what it pauses below it`() {
        #expect(
            rows(Self.v4, at: "01-20") == [
                "x: running 01-10..02-09",
                "b: finished 01-01..01-10, paused 01-10..02-09 behind x, toCome 02-09..03-02",
            ])
        #expect(
            rows(Self.v4, at: "02-20") == [
                "x: finished 01-10..02-09",
                "b: finished 01-01..01-10, paused 01-10..02-09 behind x, running 02-09..03-02",
            ])
    }

    @Test func `a bought pass waits behind the one that runs`() {
        let story = Story().buys("p1", at: "01-01").buys("p2", at: "01-05")
        #expect(
            rows(story, at: "01-20") == [
                "p1: running 01-01..01-31", "p2: waiting 01-05..01-31 behind p1, toCome 01-31..03-02",
            ])
    }

    @Test func `a refund cuts off the rest, and frees the next pass`() {
        let story = Story().buys("p1", at: "01-01").buys("p2", at: "01-05").refunds("p1", at: "01-11")
        #expect(
            rows(story, at: "01-20") == [
                "p1: finished 01-01..01-11, cutOff 01-11..01-31 refund",
                "p2: waiting 01-05..01-11 behind p1, running 01-11..02-10 freed by p1",
            ])
    }

    @Test func `a partial refund cuts off its share at the end`() {
        let story = Story().buys("p1", at: "01-01").refunds("p1", at: "01-05", share: 50_000)
        #expect(rows(story, at: "01-20") == ["p1: finished 01-01..01-16, cutOff 01-16..01-31 refund"])
    }

    @Test func `a pass that is refunded while it is paused loses the rest from that day on`() {
        let story = Self.v4.refunds("b", at: "01-20")
        #expect(
            rows(story, at: "01-25") == [
                "x: running 01-10..02-09",
                "b: finished 01-01..01-10, paused 01-10..01-20 behind x, cutOff 01-20..02-10 refund",
            ])
    }

    @Test func `a pass that is refunded before it ran never ran`() {
        let story = Story().buys("p1", at: "01-01").buys("p2", at: "01-05").refunds("p2", at: "01-10")
        #expect(
            rows(story, at: "01-20") == [
                "p1: running 01-01..01-31", "p2: waiting 01-05..01-10 behind p1, cutOff 01-10..02-09 refund",
            ])
    }

    @Test func `what an operator takes back is told from a refund`() {
        let story = Story().buys("p1", at: "01-01").withdraws("p1", at: "01-11")
        #expect(rows(story, at: "01-20") == ["p1: finished 01-01..01-11, cutOff 01-11..01-31 withdrawal"])
    }

    @Test func `a withdrawal stays one, whatever the store refunds afterwards`() {
        let story = Story().buys("p1", at: "01-01").withdraws("p1", at: "01-11").refunds("p1", at: "01-15")
        #expect(rows(story, at: "01-20") == ["p1: finished 01-01..01-11, cutOff 01-11..01-31 withdrawal"])
        let reversed = Story().buys("p1", at: "01-01").refunds("p1", at: "01-03").reverses("p1", signedAt: "01-05")
        #expect(
            rows(reversed.withdraws("p1", at: "01-11"), at: "01-20") == [
                "p1: finished 01-01..01-03, cutOff 01-03..01-05 refund, finished 01-05..01-11, "
                    + "cutOff 01-11..02-02 withdrawal"
            ])
    }

    @Test func `a reversal ends what was cut off`() {
        let story = Story().buys("p1", at: "01-01").refunds("p1", at: "01-11").reverses("p1", signedAt: "01-21")
        #expect(
            rows(story, at: "01-25") == [
                "p1: finished 01-01..01-11, cutOff 01-11..01-21 refund, running 01-21..02-10"
            ])
    }

    @Test func `what was refunded after use lost nothing`() {
        let story = Story().buys("p1", at: "01-01").refunds("p1", at: "02-11")
        #expect(rows(story, at: "02-20") == ["p1: finished 01-01..01-31"])
    }

    @Test func `a plan is a window over the passes, with leeway once it has begun`() {
        let plan = VerifiedPurchase.state(
            of: "s", .proMonthly, .plan, transaction: "t1", period: "1", at: "01-01", until: "02-01")
        let story = Story().buys("p1", .basic30, at: "01-05").attaches(plan, at: "01-01")
        #expect(rows(story, at: "01-15") == ["s: paid 01-01..02-01", "p1: running 01-05..02-04"])
        #expect(
            rows(story, at: "02-01 12:00") == [
                "s: paid 01-01..02-01, grace 02-01..02-02 leeway", "p1: running 01-05..02-04",
            ])
    }

    @Test func `retry is drawn after all coverage, and not of what went to another user`() {
        let plan = VerifiedPurchase.state(
            of: "s", .proMonthly, .plan, transaction: "t1", period: "1", at: "01-01", until: "02-01")
        func retried(graceEndsAt: Instant? = nil) -> Story {
            let renewal = VerifiedRenewal(
                key: plan.key, signedAt: "01-31", willRenew: true, graceEndsAt: graceEndsAt, isInRetry: true)
            return Story().attaches(plan, at: "01-01").states(.renewal(renewal), at: "01-31")
        }
        #expect(rows(retried(), at: "02-05") == ["s: paid 01-01..02-01, retried 02-01.."])
        #expect(
            rows(retried(graceEndsAt: "02-17"), at: "02-20") == [
                "s: paid 01-01..02-01, grace 02-01..02-17 grant, retried 02-17.."
            ])
        #expect(rows(retried().givesAway("s", at: "02-03"), at: "02-05") == ["s: paid 01-01..02-01"])
    }

    @Test func `periods that touch are one bar, and a refunded rest is cut off`() {
        func period(_ number: String, _ start: Instant, _ end: Instant) -> VerifiedPurchase {
            .state(of: "s", .proMonthly, .plan, transaction: "t\(number)", period: number, at: start, until: end)
        }
        let (first, second) = (period("1", "01-01", "02-01"), period("2", "02-01", "03-01"))
        let story = Story().attaches(first, at: "01-01").records(second, at: "02-01")
        #expect(rows(story, at: "02-10") == ["s: paid 01-01..03-01"])
        let refunded = story.records(
            second.with(revocation: Revocation(revokedAt: "02-11", share: nil), signedAt: "02-11"), at: "02-11")
        #expect(rows(refunded, at: "02-20") == ["s: paid 01-01..02-11, cutOff 02-11..03-01 refund"])
    }

    @Test func `a purchase of the Sandbox that does not count is drawn below, and gives no access`() {
        let story = Story().buys("s", at: "01-01", environment: .sandbox).buys("p", .basic30, at: "01-02")
        let drawing = Drawing(of: story.timeline(settings: .production), at: "01-10")
        #expect(drawing.rows.map(\.key.externalID.text) == ["p", "s"])
        #expect(drawing.rows.map(\.counts) == [true, false])
        #expect(drawing.access == [Drawing.Stretch(tier: "basic", startsAt: "01-02", endsAt: "02-01")])
    }

    @Test func `what gives nothing, add-ons and credits have no bars`() {
        let story = Story().buys("a", .xyz, at: "01-01", type: .addOn).buys("u", "unknown", at: "01-02")
        #expect(rows(story, at: "01-10").isEmpty)
        #expect(access(story).isEmpty)
    }

    @Test func `access in sum has the highest tier, and its gaps`() {
        #expect(access(Self.v4) == ["basic 01-01..01-10", "pro 01-10..02-09", "basic 02-09..03-02"])
        #expect(
            access(Story().buys("p1", at: "01-01").buys("p2", at: "02-10"))
                == ["pro 01-01..01-31", "none 01-31..02-10", "pro 02-10..03-12"])
        #expect(access(Story().buys("p1", at: "01-01").buys("p2", at: "01-01")) == ["pro 01-01..03-02"])
    }

    @Test func `the time that is left is what is paid and has not run`() {
        let day = Instant.millisecondsPerDay
        let drawing = Drawing(of: Self.v4.timeline(), at: "01-20")
        #expect(drawing.rows.map(\.left) == [20 * day, 21 * day])
        #expect(drawing.number(of: Self.v4.timeline().purchases[0].key) == 2)
        var moved = World()
        moved.attach(.state(of: "p1", at: "01-01"), to: .alice, at: "01-01")
        moved.move("p1", from: .alice, to: "bob", at: "01-25")
        #expect(Drawing(of: moved.timeline(of: "bob"), at: "01-25").rows.map(\.left) == [6 * day])
    }

    @Test func `bars never overlap, and run as the clock says`() {
        for seed in UInt64(0)..<400 {
            var random = SplitMix64(seed: seed)
            var story = Story()
            let start: Instant = "01-01"
            for number in 0..<Int.random(in: 1...6, using: &random) {
                let at = start + Int64.random(in: 0...60, using: &random) * Instant.millisecondsPerDay
                story = story.buys("p\(number)", [.pro30, .basic30, .eyes30].randomElement(using: &random)!, at: at)
                guard Bool.random(using: &random) else { continue }
                let refundedAt = at + Int64.random(in: 1...70, using: &random) * Instant.millisecondsPerDay
                story = story.refunds(
                    "p\(number)", at: refundedAt, share: [nil, 30_000].randomElement(using: &random)!)
                if Bool.random(using: &random) {
                    story = story.reverses("p\(number)", signedAt: refundedAt + 9 * Instant.millisecondsPerDay)
                }
            }
            let at = start + Int64.random(in: 0...200, using: &random) * Instant.millisecondsPerDay
            let timeline = story.timeline()
            let drawing = Drawing(of: timeline, at: at)
            for row in drawing.rows {
                for (bar, next) in zip(row.bars, row.bars.dropFirst()) {
                    #expect(bar.endsAt.map { $0 <= next.startsAt } ?? false, "seed \(seed): \(row.bars.map(\.text))")
                }
                let runs = row.bars.filter { [.running, .toCome, .finished].contains($0.kind) }
                let planned = timeline.planned.filter { $0.purchase == row.purchase }.map(\.segment)
                #expect(runs.map(\.startsAt) == planned.map(\.startsAt), "seed \(seed)")
                #expect(runs.map(\.endsAt) == planned.map(\.endsAt), "seed \(seed)")
            }
            let running = drawing.rows.filter { $0.bars.contains { $0.kind == .running } }
            #expect(Set(running.map(\.lane)).count == running.count, "seed \(seed)")
            let status = timeline.status(at: at)
            let now = drawing.access.first { $0.covers(at) }?.tier
            #expect(now == (status.active ? status.tier : nil), "seed \(seed)")
            guard case .access(let access) = Verdict(of: timeline, at: at) else {
                #expect(!status.active, "seed \(seed)")
                continue
            }
            #expect(access.tier == status.tier && access.until == status.expiresAt, "seed \(seed)")
            #expect(access.then.last?.endsAt ?? access.until == status.accessExpiresAt, "seed \(seed)")
        }
    }
}

extension Drawing.Bar {
    fileprivate var text: String {
        let why =
            switch cause {
            case .behind(let key): " behind \(key.externalID)"
            case .freed(let key): " freed by \(key.externalID)"
            case .refund: " refund"
            case .withdrawal: " withdrawal"
            case .grant: " grant"
            case .leeway: " leeway"
            case nil: ""
            }
        return "\(kind) \(startsAt.text)..\(endsAt?.text ?? "")\(why)"
    }
}
