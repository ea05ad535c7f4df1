import Entitlements
import Testing

/// The vectors of `semantics.md` §2, to the millisecond.
@Suite struct PassVectorTests {
    private static let v1 = Story().buys("p1", at: "01-01").buys("p2", at: "01-10")
    private static let v3 = v1.buys("p3", at: "01-20")
    private static let one = Story().buys("p", at: "01-01")
    private static let v4 = Story().buys("b", .basic30, at: "01-01").buys("x", at: "01-10")
    private static let v7 = Story().buys("b", .basic30, at: "01-01")
        .attaches(
            .state(of: "w", .proMonthly, .plan, source: .stripe, at: "01-15", until: "02-15"), at: "01-15")

    private func check(
        _ story: Story, gives segments: String..., in catalogue: CatalogueVersions = .example, knownAt: Instant? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(story.segments(in: catalogue, knownAt: knownAt) == segments, sourceLocation: sourceLocation)
    }

    @Test func `two passes make sixty days`() {
        check(Self.v1, gives: "p1 01-01..01-31", "p2 01-31..03-02")
    }

    @Test func `after a gap, a pass starts at its own purchase`() {
        check(
            Story().buys("p1", at: "01-01").buys("p2", at: "02-10"), gives: "p1 01-01..01-31", "p2 02-10..03-12")
    }

    @Test func `three passes follow each other`() {
        check(Self.v3, gives: "p1 01-01..01-31", "p2 01-31..03-02", "p3 03-02..04-01")
    }

    @Test func `a refund stops the pass, and the next one starts at once`() {
        check(
            Self.v3.refunds("p2", at: "02-10"), gives: "p1 01-01..01-31", "p2 01-31..02-10", "p3 02-10..03-12")
    }

    @Test func `a prorated refund leaves the paid share`() {
        check(
            Self.v3.refunds("p2", at: "02-05", share: 66667),
            gives: "p1 01-01..01-31", "p2 01-31..02-09 23:59:51.360", "p3 02-09 23:59:51.360..03-11 23:59:51.360")
    }

    @Test func `a refund before it ran takes a pass out of the queue`() {
        check(Self.v3.refunds("p2", at: "01-15"), gives: "p1 01-01..01-31", "p3 01-31..03-02")
    }

    @Test func `a reversal gives back exactly the rest`() {
        check(
            Self.v3.refunds("p2", at: "02-05").reverses("p2", signedAt: "02-20"),
            gives: "p1 01-01..01-31", "p2 01-31..02-05", "p3 02-05..02-20", "p2 02-20..03-17", "p3 03-17..04-01")
    }

    @Test func `a refund after a reversal does not reach back before it`() {
        check(
            Self.one.refunds("p", at: "01-10").reverses("p", signedAt: "01-20")
                .refunds("p", at: "01-18", signedAt: "01-25"),
            gives: "p 01-01..01-10", "p 01-20..01-25")
    }

    @Test func `a refund reaches back over a state that did not know it`() {
        check(
            Self.one.reverses("p", signedAt: "01-10 12:00").refunds("p", at: "01-10", signedAt: "01-11"),
            gives: "p 01-01..01-10")
    }

    @Test func `over the stretch that a refund reaches back, the larger share holds`() {
        check(
            Self.one.refunds("p", at: "01-10", signedAt: "01-11")
                .refunds("p", at: "01-10", share: 50000, signedAt: "01-20"),
            gives: "p 01-01..01-10", "p 01-20..01-26")
    }

    @Test func `a refund that was undone holds again only from its signing`() {
        check(
            Self.one.refunds("p", at: "01-10", signedAt: "01-11").reverses("p", signedAt: "01-15")
                .refunds("p", at: "01-10", signedAt: "01-20"),
            gives: "p 01-01..01-10", "p 01-15..01-20")
    }

    @Test func `an operator's revocation outlives the store's reversal`() {
        let refunded = Self.one.refunds("p", at: "01-10")
        check(refunded.withdraws("p", at: "01-12").reverses("p", signedAt: "01-20"), gives: "p 01-01..01-10")
        check(refunded.reverses("p", signedAt: "01-20"), gives: "p 01-01..01-10", "p 01-20..02-10")
        check(
            refunded.reverses("p", signedAt: "01-20").withdraws("p", at: "01-25"), gives: "p 01-01..01-10",
            "p 01-20..01-25")
        check(Self.one.withdraws("p", at: "01-12").refunds("p", at: "01-10", share: 50000), gives: "p 01-01..01-12")
    }

    @Test func `a reversal learned later changes no earlier answer`() {
        let refunded = Self.v1.refunds("p2", at: "02-05", signedAt: "02-06")
        let reversed = refunded.reverses("p2", signedAt: "02-27")
        let corrected = reversed.reverses("p2", signedAt: "02-20", recordedAt: "03-01")
        check(reversed, gives: "p1 01-01..01-31", "p2 01-31..02-05", "p2 02-27..03-24")
        check(corrected, gives: "p1 01-01..01-31", "p2 01-31..02-05", "p2 02-20..03-17")
        check(corrected, gives: "p1 01-01..01-31", "p2 01-31..02-05", "p2 02-27..03-24", knownAt: "02-28")
        check(corrected, gives: "p1 01-01..01-31", "p2 01-31..02-05", knownAt: "02-26")
        check(corrected, gives: "p1 01-01..01-31", "p2 01-31..03-02", knownAt: "02-05")
        check(corrected, gives: "p1 01-01..01-31", knownAt: "01-09")
    }

    @Test func `a higher tier preempts and the lower one resumes`() {
        check(Self.v4, gives: "b 01-01..01-10", "x 01-10..02-09", "b 02-09..03-02")
        let status = Self.v4.status(at: "01-20")
        #expect(status.tier == "pro")
        #expect(status.expiresAt == "02-09")
        #expect(status.accessExpiresAt == "03-02")
    }

    @Test func `the lower tier resumes when the higher one is refunded`() {
        check(
            Self.v4.refunds("x", at: "01-20"), gives: "b 01-01..01-10", "x 01-10..01-20", "b 01-20..02-10")
    }

    @Test func `a lower tier waits for the higher one`() {
        check(
            Story().buys("x", at: "01-01").buys("b", .basic30, at: "01-10"),
            gives: "x 01-01..01-31", "b 01-31..03-02")
    }

    @Test func `a refund after the pass has run out takes nothing back`() {
        check(
            Story().buys("p1", at: "01-01").buys("p2", at: "01-20").refunds("p1", at: "02-10"),
            gives: "p1 01-01..01-31", "p2 01-31..03-02")
    }

    @Test func `a pass runs on under a window`() {
        check(Self.v7, gives: "b 01-01..01-31", "w 01-15..02-15")
        let status = Self.v7.status(at: "01-20")
        #expect(status.tier == "pro")
        #expect(status.expiresAt == "02-15")
    }

    @Test func `a lane may pause its passes under a higher window`() {
        check(Self.v7, gives: "b 01-01..01-15", "w 01-15..02-15", "b 02-15..03-03", in: .pausing)
    }

    @Test func `a quantity of two is one pass of twice the length`() {
        check(Story().buys("p", at: "01-01", quantity: 2), gives: "p 01-01..03-02")
    }
}
