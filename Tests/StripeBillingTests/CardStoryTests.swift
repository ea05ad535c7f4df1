import StoreSimulator
import Entitlements
import StripeBilling
import Support
import Testing

/// Neither the order of events nor how often they come decides anything, in either shape (`semantics.md` §1, §7).
@Suite struct CardStoryTests {
    private static let start: Int64 = 1_767_225_600
    private static let secret = "whsec_stories"

    /// An event as it is read.
    static func event(_ event: CardAccount.Event, at seconds: Int64 = start) throws -> VerifiedEvent {
        let secrets = try #require(EndpointSecrets([secret]))
        return try VerifiedEvent.verify(
            Array(event.body.utf8), signedAs: SignatureHeader(event.header(secret, at: seconds)), with: secrets,
            at: Instant(milliseconds: seconds * 1_000)
        ).get()
    }

    static func news(_ event: CardAccount.Event) throws -> CardNews {
        CardNews(try Self.event(event), userKey: "user_id", graceDays: 14)
    }

    private static func stories(_ shape: CardAccount.Shape) -> [CardStory] {
        CardStory.all(of: { CardAccount(shape, tag: $0) }, for: { _ in "anna" }, from: start)
    }

    /// What covers at the ends of the orders of `events`.
    private static func ends(
        of events: [CardAccount.Event], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Set<[String]> {
        let orders = CardOrders(of: CardLibrary(try events.map(news)))
        let all = (1...events.count).reduce(1, *)
        #expect(orders.ends.values.reduce(0, +) == all, sourceLocation: sourceLocation)
        #expect(orders.changesByRepeats == 0, sourceLocation: sourceLocation)
        return Set(orders.ends.keys.map { $0.pieces(from: Instant(milliseconds: start * 1_000)) })
    }

    @Test(arguments: CardAccount.Shape.allCases)
    func `every order of a story's events, each told again at any time, comes to the one end worked out by hand`(
        shape: CardAccount.Shape
    ) throws {
        for story in Self.stories(shape) {
            #expect(try Self.ends(of: story.events) == [story.covers], "\(story.name)")
        }
    }

    @Test(arguments: CardAccount.Shape.allCases)
    func `the same where all events are made in one second`(shape: CardAccount.Shape) throws {
        for story in Self.stories(shape) {
            let ends = try Self.ends(of: story.eventsAtOnce)
            #expect(ends.count == 1, "\(story.name)")
            if let covers = story.coversAtOnce { #expect(ends == [covers], "\(story.name)") }
        }
    }

    @Test func `where events counted as made when they came, their order would be noticed`() throws {
        for story in Self.stories(.new) {
            let told = Array(story.events.indices)
            let ends = try [told, told.reversed()].map { order in
                var world = CardWorld(of: CardLibrary(try story.events(madeIn: order).map(Self.news)))
                for event in told { world.take(event) }
                return world.pieces(from: Instant(milliseconds: Self.start * 1_000))
            }
            #expect(ends[0] != ends[1], "\(story.name)")
        }
    }

    @Test func `both shapes of an event mean the same`() throws {
        for (old, new) in zip(Self.stories(.old), Self.stories(.new)) {
            #expect(old.covers == new.covers && old.events.count == new.events.count)
            for (oldEvent, newEvent) in zip(old.events, new.events) {
                let (first, second) = (try Self.news(oldEvent), try Self.news(newEvent))
                #expect(first.users == second.users)
                #expect(first.takeback?.revocation == second.takeback?.revocation)
                // What ties a payment to its invoice says no more than that, since it is an object of its own.
                if newEvent.body.contains(#""object":"invoice_payment""#) {
                    #expect(second.about == nil && second.statements.isEmpty, "\(old.name)")
                    #expect(second.numbers.count == 1, "\(old.name)")
                } else {
                    #expect(first.statements == second.statements, "\(old.name)")
                    #expect(first.about == second.about && first.customer == second.customer, "\(old.name)")
                }
            }
        }
    }
}
