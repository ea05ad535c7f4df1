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
            Array(event.body.utf8), signedAs: event.header(secret, at: seconds), with: secrets,
            at: Instant(milliseconds: seconds * 1_000)
        ).get()
    }

    static func news(_ event: CardAccount.Event) throws -> CardNews {
        CardNews(try Self.event(event), userKey: "user_id", graceDays: 14)
    }

    private static func stories(_ shape: CardAccount.Shape) -> [CardStory] {
        CardStory.all(of: { CardAccount(shape, tag: $0) }, for: "anna", from: start)
    }

    private static func permutations(of count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return permutations(of: count - 1).flatMap { order in
            (0...order.count).map { place in
                var order = order
                order.insert(count - 1, at: place)
                return order
            }
        }
    }

    @Test(arguments: CardAccount.Shape.allCases)
    func `every order of a story's events comes to the one end that was worked out by hand`(
        shape: CardAccount.Shape
    ) throws {
        for story in Self.stories(shape) {
            let news = try story.events.map(Self.news)
            // Those that say nothing of access and nothing of numbers cannot change it in any order.
            let telling = news.filter { !$0.statements.isEmpty || !$0.links.isEmpty || $0.takeback != nil }
            #expect(telling.count >= 3, "\(story.name)")
            let orders = telling.count > 5 ? Self.someOrders(of: telling.count) : Self.permutations(of: telling.count)
            var ends: Set<[String]> = []
            for order in orders {
                var world = CardWorld()
                for place in order + [order[0], order[order.count / 2]] { world.take(telling[place]) }
                ends.insert(world.pieces(from: Instant(milliseconds: Self.start * 1_000)))
            }
            #expect(ends == [story.covers], "\(story.name)")
        }
    }

    /// Every order of each five neighbours, before and after the rest, and the whole in reverse.
    private static func someOrders(of count: Int) -> [[Int]] {
        let all = Array(0..<count)
        var orders = [all, all.reversed()]
        for first in 0...(count - 5) {
            let rest = all.filter { !(first..<first + 5).contains($0) }
            for order in permutations(of: 5) {
                let moved = order.map { $0 + first }
                orders += [moved + rest, rest.reversed() + moved]
            }
        }
        return orders
    }

    @Test func `both shapes of an event mean the same`() throws {
        for (old, new) in zip(Self.stories(.old), Self.stories(.new)) {
            #expect(old.covers == new.covers && old.events.count == new.events.count)
            for (first, second) in zip(old.events, new.events) {
                let (first, second) = (try Self.news(first), try Self.news(second))
                #expect(first.statements == second.statements, "\(old.name)")
                #expect(first.users == second.users)
                // What ties a payment to its invoice says no more than that, since it is an object of its own.
                #expect(second.about == nil || first.about == second.about && first.customer == second.customer)
                #expect(first.takeback?.revocation == second.takeback?.revocation)
            }
        }
    }
}
