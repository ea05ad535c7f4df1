/// Every order of some events. Orders that have come to one world go on from there together, so that all of nine events
/// can be gone through.
struct CardOrders {
    /// Where they lead, and how many of them.
    private(set) var ends: [CardWorld: Int]
    /// How often an event that was told again changed a world.
    private(set) var changesByRepeats = 0

    init(of library: CardLibrary) {
        ends = [CardWorld(of: library): 1]
        for _ in library.events.indices {
            var next: [CardWorld: Int] = [:]
            for (world, count) in ends {
                repeatAll(told: world)
                for event in library.events.indices where !world.told.contains(event) {
                    var after = world
                    after.take(event)
                    next[after, default: 0] += count
                }
            }
            ends = next
        }
        for world in ends.keys { repeatAll(told: world) }
    }

    private mutating func repeatAll(told world: CardWorld) {
        for event in world.told {
            var after = world
            after.take(event)
            if after != world { changesByRepeats += 1 }
        }
    }
}
