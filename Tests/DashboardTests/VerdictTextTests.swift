import EntitlementAPI
import Entitlements
import Support
import Testing

@testable import Dashboard

/// The sentences of a verdict, which are true of the moment that they are about.
@Suite struct VerdictTextTests {
    private static func instant(_ text: String) -> Instant { RFC3339.instant(text) ?? .distantPast }

    private static let now = instant("2026-11-17T10:00:00Z")
    private static let (december, february) = (instant("2026-12-10T00:00:00Z"), instant("2027-02-13T00:00:00Z"))

    private static func key(
        _ id: String, _ source: Source = .appleIAP, in environment: StoreEnvironment = .production
    ) -> PurchaseKey {
        PurchaseKey(source: source, app: AppID("app"), environment: environment, externalID: ExternalID(id))
    }

    /// The whole text of a verdict, read at `now` or about another moment.
    private static func text(
        _ verdict: Verdict, at instant: Instant? = nil, deed: Deed? = nil, in language: Language = .english
    ) throws -> String {
        let catalogue = CatalogueVersions(
            first: CatalogueVersions.Version(
                number: 1, effectiveAt: .distantPast, catalogue: Catalogue(apps: [], tiers: [], products: [])))
        let user = try #require(UserID("u1"))
        let timeline = Timeline(
            folding: UserLedger(user: user), given: catalogue, settings: EntitlementSettings(sandboxAccess: .everyone))
        let zone = Zone("UTC") { _, _ in 0 }
        let names = Names(words: Words(language, in: zone, now: now), catalogue: catalogue)
        let text = VerdictText(
            verdict, of: timeline, names, at: instant ?? now, isNow: instant == nil, deed: { _, _ in deed })
        let page = Tag.html {
            Tag.body { names.words.joined([text.headline, text.follow] + text.why, by: .nextSentence) }
        }
        return try ParsedPage(page.document).text.replacing("\u{A0}", with: " ")
    }

    private static func access(_ basis: Verdict.Basis, then: [Drawing.Stretch] = []) -> Verdict {
        .access(
            Verdict.Access(tier: TierID("pro"), until: december, then: then, basis: basis, grace: nil))
    }

    private static let basic = Drawing.Stretch(tier: TierID("basic"), startsAt: december, endsAt: february)
    private static let plan = Verdict.Basis.plan(key("s"), until: december, willRenew: true)

    @Test func `what follows a plan that renews does so only if it is not renewed`() throws {
        let text = try Self.text(Self.access(Self.plan, then: [Self.basic]))
        #expect(text.hasPrefix("Has pro, renewing on 10 December 2026;"), "\(text)")
        #expect(text.contains("if not renewed, basic until 13 February 2027."), "\(text)")
        #expect(text.contains("If it is not renewed, basic follows on 10 December 2026."), "\(text)")
        #expect(!text.contains("then basic"), "\(text)")
    }

    @Test func `a pass behind a plan that renews is there if it is not renewed`() throws {
        let access = Verdict.Access(
            tier: TierID("pro"), until: Self.february, then: [], basis: Self.plan, grace: nil)
        let text = try Self.text(.access(access))
        #expect(text.hasPrefix("Has pro, renewing on 10 December 2026;"), "\(text)")
        #expect(text.contains("if not renewed, pro until 13 February 2027."), "\(text)")
    }

    @Test func `the Sandbox is named beside what comes from it`() throws {
        let pass = Verdict.Basis.pass(Self.key("p", in: .sandbox), until: Self.december, then: [])
        let text = try Self.text(Self.access(pass))
        #expect(text.hasPrefix("Has pro Sandbox until") && text.contains("p Sandbox, now running"), "\(text)")
    }

    @Test func `a gift and a withdrawal are told with who, when and why`() throws {
        let deed = Deed(who: "Mara", at: Self.instant("2026-11-01T00:00:00Z"), reason: "an outage")
        let gift = Self.access(.window(Self.key("g", .manual)))
        #expect(
            try Self.text(gift, deed: deed).contains("g was given by Mara on 1 November 2026: “an outage”."))
        #expect(try Self.text(gift).contains("g was given by hand."))
        let ended = Verdict.ended(
            .takenBack(by: .withdrawal, after: nil, of: nil), of: Self.key("p"), at: Self.now)
        #expect(
            try Self.text(ended, deed: deed).contains("Revoked by Mara on 1 November 2026: “an outage”."))
        let over = Verdict.ended(.ranOut, of: Self.key("g", .manual), at: Self.now)
        #expect(try Self.text(over).contains("what was given by hand ran out."))
    }

    @Test func `another moment is told in its own time`() throws {
        let (past, future) = (Self.instant("2026-11-01T00:00:00Z"), Self.instant("2026-12-01T00:00:00Z"))
        let grace = Verdict.Grace(key: Self.key("s"), until: Self.december, isLeeway: false)
        #expect(try Self.text(Self.access(.grace(grace))).hasPrefix("Has pro in grace"))
        #expect(try Self.text(Self.access(.grace(grace)), at: past).hasPrefix("Had pro in grace"))
        let leeway = Verdict.Grace(key: Self.key("s"), until: Self.december, isLeeway: true)
        #expect(try Self.text(Self.access(.grace(leeway)), at: past).hasPrefix("Had pro until"))
        #expect(try Self.text(.addOns([ProductID("maps")]), at: past).hasPrefix("Had no tier, but maps"))
        let sandbox = Verdict.sandboxOnly(TierID("pro"), until: Self.december)
        #expect(try Self.text(sandbox, at: past).hasPrefix("Sandbox had pro until"))
        #expect(try Self.text(Self.access(Self.plan), at: future).hasPrefix("Will have pro until"))
        let ended = Verdict.ended(.ranOut, of: Self.key("p"), at: Self.now)
        #expect(try Self.text(ended, at: future).hasPrefix("Will have no access since"))
        #expect(try Self.text(ended, at: past).hasPrefix("Had no access since"))
        #expect(try Self.text(ended).hasPrefix("No access since"))
    }

    @Test func `names in a list are set apart by more than a comma`() throws {
        let pass = Verdict.Basis.pass(
            Self.key("a"), until: Self.december, then: [Self.key("b, 30 days"), Self.key("c, 90 days")])
        #expect(try Self.text(Self.access(pass)).contains("After it: b, 30 days; c, 90 days."))
    }
}
