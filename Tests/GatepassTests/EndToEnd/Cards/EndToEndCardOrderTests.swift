import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// The order in which card events come decides nothing, nor how often: over HTTP, by a sample of the orders that
    /// `CardStoryTests` goes through (`semantics.md` §1).
    @Suite struct CardOrder {
        private static let day: Int64 = 86_400

        @Test(arguments: CardAccount.Shape.allCases)
        func `every story comes to its end in order, in reverse and shuffled, each event twice`(
            shape: CardAccount.Shape
        ) async throws {
            let server = try await EndToEndServer.withCards
            let start = now / 1_000 - 70 * Self.day
            var random = SystemRandomNumberGenerator()
            for order in 0..<4 {
                let tag = newID()
                for story in CardStory.all(of: { CardAccount(shape, tag: tag + $0) }, for: "u", from: start) {
                    let user = "story-\(tag)-\(story.name)"
                    let events =
                        CardStory.all(of: { CardAccount(shape, tag: tag + $0) }, for: user, from: start)
                        .first { $0.name == story.name }?.events ?? []
                    var told = order == 0 ? events : events.reversed()
                    if order > 1 { told.shuffle(using: &random) }
                    for event in told + told.shuffled(using: &random) { try await server.place(event) }
                    for event in events { _ = try await server.settled(event) { !$0.hasPrefix("parked") } }
                    let names = told.map(\.id).joined(separator: " ")
                    #expect(try await covers(user, from: start, server) == story.covers, "\(story.name): \(names)")
                }
            }
        }

        /// What covers, past and planned, in days.
        private func covers(_ user: String, from start: Int64, _ server: EndToEndServer) async throws -> [String] {
            let status = try await server.status(of: user, "?history=1")
            return (0..<(status.count("segments") ?? 0)).map { place in
                let day = { (name: String) in
                    ((status.integer("segments.\(place).\(name)") ?? 0) / 1_000 - start) / Self.day
                }
                return "\(status.string("segments.\(place).tier") ?? "") \(day("starts_at_ms"))..\(day("ends_at_ms"))"
            }
        }
    }
}
