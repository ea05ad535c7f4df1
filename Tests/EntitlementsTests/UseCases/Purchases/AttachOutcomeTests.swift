import Entitlements
import Testing

/// What an attach answers, by how the purchase stands (`api.md`, "Attach").
struct AttachOutcomeTests {
    private static func answer(_ disposition: Disposition?, _ claim: Claim = .unowned) -> String {
        let (outcome, reason) = AttachOutcome.of(claim, disposition: disposition)
        return [outcome.rawValue, reason?.rawValue].compactMap(\.self).joined(separator: " ")
    }

    @Test func `each disposition has its outcome, and what is recorded its reason`() {
        #expect(Self.answer(.counts) == "attached" && Self.answer(nil) == "attached")
        #expect(Self.answer(.endedBeforeAttached) == "attached ended_before_attached")
        #expect(Self.answer(.revoked) == "revoked")
        for obstacle in Purchase.Obstacle.allCases {
            #expect(Self.answer(.recorded(obstacle)) == "recorded \(obstacle.reason.rawValue)")
        }
    }

    @Test func `a repeat differs in nothing but already_attached`() {
        #expect(Self.answer(.counts, .alreadyTheirs) == "already_attached")
        #expect(Self.answer(.endedBeforeAttached, .alreadyTheirs) == "already_attached ended_before_attached")
        #expect(Self.answer(.revoked, .alreadyTheirs) == Self.answer(.revoked))
        #expect(Self.answer(.recorded(.unknownProduct), .alreadyTheirs) == Self.answer(.recorded(.unknownProduct)))
        #expect(Self.answer(.counts, .transferred) == "attached")
    }

    @Test func `of everything that the user has the disposition is told at once`() {
        let story = Story().buys("p", at: "01-01").buys("q", "unknown", at: "01-02").refunds("p", at: "01-10")
        let timeline = story.timeline()
        let dispositions = timeline.dispositions(at: "01-11")
        #expect(dispositions == [.pass("p"): .revoked, .pass("q"): .recorded(.unknownProduct)])
        for (key, disposition) in dispositions { #expect(timeline.disposition(of: key, at: "01-11") == disposition) }
    }
}
