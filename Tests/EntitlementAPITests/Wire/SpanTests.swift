import EntitlementAPI
import Testing

/// A length of time as people write it.
@Suite struct SpanTests {
    @Test(
        arguments: [
            ("40d", 40 * 86_400_000), ("1d12h30m", 131_400_000), ("2w", 1_209_600_000), ("90s", 90_000),
            ("0d1s", 1_000),
            ("999999999d", 86_399_999_913_600_000),
        ] as [(String, Int64)])
    func `numbers with units add up`(_ text: String, _ milliseconds: Int64) {
        #expect(Span(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [(3_463_201_999, "40d2h1s"), (86_400_000 * 8, "8d"), (1_000, "1s")] as [(Int64, String)])
    func `a length is written in days and less`(_ milliseconds: Int64, _ text: String) {
        #expect(Span(milliseconds: milliseconds)?.text == text)
        #expect(Span(milliseconds: 999) == nil)
    }

    @Test(arguments: [
        "", "0", "0d", "1", "d", "-1d", "+1d", " 1d", "1d ", "1D", "1y", "1h1d", "1d1d", "1.5d", "١d", "9999999999d",
    ])
    func `anything else is none`(_ text: String) {
        #expect(Span(text) == nil)
    }
}
