import Entitlements
import Testing

/// Random histories of several users between whom purchases move, held against the promises of `semantics.md` §5.
@Suite struct OwnershipWalkTests {
    private static let seeds = UInt64(0)..<80
    private static let users: [UserID] = ["alice", "bob", "carol"]
    private static let day = Instant.millisecondsPerDay
    private static let length = 30 * day
    private static let end: Instant = "2028-01-01"

    private static func instant(_ number: Int64) -> Instant { Instant("01-01") + number * day / 2 }

    /// A history in the order in which it happened.
    private struct Walk {
        var world = World()
        var random: SplitMix64
        var bought: [VerifiedPurchase] = []
        var now = OwnershipWalkTests.instant(0)

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        var user: UserID { mutating get { users.randomElement(using: &random) ?? .alice } }

        mutating func wait() { now = now + Int64.random(in: 0...3, using: &random) * day / 2 }

        mutating func buy(attachedLater: Bool = false) {
            let product = [ProductID.pro30, .basic30, .eyes30].randomElement(using: &random) ?? .pro30
            let state = VerifiedPurchase.state(of: "p\(bought.count)", product, at: now)
            bought.append(state)
            let delay = attachedLater ? Int64.random(in: 0...20, using: &random) * day / 2 : 0
            world.attach(state, to: user, at: now + delay)
        }

        mutating func grant() {
            let offer = OperatorAct.Offer.addDays(30, of: Bool.random(using: &random) ? "pro" : "basic")
            let id = ExternalID("g\(world.owners.count)")
            world.apply(
                OperatorAct(on: user, note: .support).give(offer, as: id, given: world.history(at: now), in: .example),
                at: now)
        }

        /// A purchase of somebody goes to somebody else.
        mutating func move() {
            guard let (key, giver) = world.owners.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else {
                return
            }
            let receiver = user
            if receiver != giver { world.move(key.externalID.text, from: giver, to: receiver, at: now) }
        }

        mutating func refund(reachingBack: Bool) {
            guard let state = bought.randomElement(using: &random) else { return }
            let back = reachingBack ? Int64.random(in: 0...20, using: &random) * day / 2 : 0
            let share = [100_000, 50000, 33333].randomElement(using: &random)
            let revokedAt = max(state.purchasedAt, now + -back)
            world.record(
                state.with(revocation: Revocation(revokedAt: revokedAt, share: share), signedAt: now), at: now)
        }

        mutating func reverse() {
            guard let state = bought.randomElement(using: &random) else { return }
            world.record(state.with(revocation: nil, signedAt: now), at: now)
        }

        mutating func merge() {
            let (guest, receiver) = (user, user)
            let act = OperatorAct(on: receiver, note: .support)
            world.apply(
                act.merge(guest, mentionedAs: "guest", given: world.history(at: now), in: .example), at: now)
        }
    }

    /// How long each purchase ran with everybody together.
    private static func ran(_ world: World) -> [PurchaseKey: Int64] {
        users.flatMap { world.timeline(of: $0).planned }.map(\.segment)
            .reduce(into: [:]) { $0[$1.key, default: 0] += $1.endsAt - $1.startsAt }
    }

    @Test func `without refunds, every pass runs whole over all its owners`() {
        var moved = 0
        for seed in Self.seeds {
            var walk = Walk(seed: seed)
            for _ in 0..<25 {
                walk.wait()
                switch Int.random(in: 0..<8, using: &walk.random) {
                case 0..<3: walk.buy()
                case 3: walk.grant()
                case 4: walk.merge()
                default: walk.move()
                }
            }
            let ran = Self.ran(walk.world)
            #expect(Set(ran.keys) == Set(walk.world.owners.keys), "seed \(seed)")
            #expect(Set(ran.values).isSubset(of: [Self.length]), "seed \(seed)")
            moved += Self.users.reduce(0) { $0 + walk.world.timeline(of: $1).purchases.count } - ran.count
        }
        #expect(moved > 400)
    }

    @Test func `no pass runs longer than was paid for, whatever is refunded, reversed or learned late`() {
        for seed in Self.seeds {
            var walk = Walk(seed: seed)
            for _ in 0..<30 {
                walk.wait()
                switch Int.random(in: 0..<10, using: &walk.random) {
                case 0..<3: walk.buy(attachedLater: true)
                case 3: walk.grant()
                case 4: walk.merge()
                case 5, 6: walk.refund(reachingBack: true)
                case 7: walk.reverse()
                default: walk.move()
                }
            }
            let ran = Self.ran(walk.world)
            #expect(ran.values.allSatisfy { $0 <= Self.length }, "seed \(seed)")
        }
    }

    @Test func `a pass runs with one owner at a time`() {
        for seed in Self.seeds {
            var walk = Walk(seed: seed)
            for _ in 0..<30 {
                walk.wait()
                switch Int.random(in: 0..<6, using: &walk.random) {
                case 0..<2: walk.buy()
                case 2: walk.refund(reachingBack: true)
                default: walk.move()
                }
            }
            let segments = Self.users.flatMap { walk.world.timeline(of: $0).planned.map(\.segment) }
            for (_, pieces) in Dictionary(grouping: segments, by: \.key) {
                let inOrder = pieces.sorted { $0.startsAt < $1.startsAt }
                for (piece, next) in zip(inOrder, inOrder.dropFirst()) {
                    #expect(piece.endsAt <= next.startsAt, "seed \(seed), \(piece.key.externalID)")
                }
            }
        }
    }

    @Test func `a transfer changes neither ledger's past`() {
        for seed in Self.seeds {
            var walk = Walk(seed: seed)
            for _ in 0..<15 {
                walk.wait()
                if Bool.random(using: &walk.random) { walk.buy() } else { walk.move() }
            }
            walk.wait()
            let before = walk.world
            for _ in 0..<3 { walk.move() }
            for user in Self.users {
                let past = Self.past(of: before.timeline(of: user), until: walk.now)
                #expect(Self.past(of: walk.world.timeline(of: user), until: walk.now) == past, "seed \(seed)")
                for back in stride(from: Int64(1), to: 40, by: 7) {
                    let at = walk.now + -back * Self.day / 2
                    let (then, now) = (before.status(of: user, at: at), walk.world.status(of: user, at: at))
                    #expect(then.tier == now.tier && then.features == now.features, "seed \(seed)")
                    #expect(then.active == now.active && then.devices == now.devices, "seed \(seed)")
                }
                let known = walk.now + -1
                #expect(
                    walk.world.timeline(of: user, knownAt: known).planned
                        == before.timeline(of: user, knownAt: known).planned, "seed \(seed)")
            }
        }
    }

    /// What was covered before `instant`.
    private static func past(of timeline: Timeline, until instant: Instant) -> [String] {
        timeline.planned.filter { $0.segment.startsAt < instant }.map {
            "\($0.segment.key.externalID) \($0.segment.startsAt.text)..\(min($0.segment.endsAt, instant).text)"
        }
    }

    @Test func `after transfers, the order of evidence says nothing`() {
        for seed in Self.seeds {
            var walk = Walk(seed: seed)
            for _ in 0..<20 {
                walk.wait()
                if Bool.random(using: &walk.random) { walk.buy() } else { walk.move() }
            }
            let late = walk.bought.flatMap { state in
                (0..<Int.random(in: 0...3, using: &walk.random)).map { _ in
                    let signedAt = walk.now + Int64.random(in: 0...40, using: &walk.random) * Self.day / 2
                    let revokedAt = max(state.purchasedAt, signedAt + -5 * Self.day)
                    let isRevoked = Bool.random(using: &walk.random)
                    let share = [100_000, 50000].randomElement(using: &walk.random)
                    return state.with(
                        revocation: isRevoked ? Revocation(revokedAt: revokedAt, share: share) : nil,
                        signedAt: signedAt)
                }
            }
            var (one, other) = (walk.world, walk.world)
            for state in late { one.record(state, at: "2027-01-01") }
            for state in (late + late).shuffled(using: &walk.random) { other.record(state, at: "2027-01-01") }
            for user in Self.users {
                #expect(one.segments(of: user) == other.segments(of: user), "seed \(seed)")
                let instants = [walk.now, walk.now + 20 * Self.day, Self.end]
                for at in instants {
                    #expect(
                        one.status(of: user, at: at).entitlements == other.status(of: user, at: at).entitlements,
                        "seed \(seed)")
                }
            }
        }
    }

    @Test func `what a pass has left is the same, whoever has it`() {
        for seed in Self.seeds {
            var walk = Walk(seed: seed)
            for _ in 0..<20 {
                walk.wait()
                if Bool.random(using: &walk.random) { walk.buy() } else { walk.move() }
            }
            for (key, owner) in walk.world.owners {
                let left = { (world: World, user: UserID) in
                    world.timeline(of: user).planned.map(\.segment).filter { $0.key == key }.reduce(Int64(0)) {
                        $0 + max(0, $1.endsAt - max($1.startsAt, walk.now))
                    }
                }
                guard let receiver = Self.users.first(where: { $0 != owner }) else { continue }
                var moved = walk.world
                moved.move(key.externalID.text, from: owner, to: receiver, at: walk.now)
                #expect(left(walk.world, owner) == left(moved, receiver), "seed \(seed)")
                #expect(left(moved, owner) == 0, "seed \(seed)")
            }
        }
    }
}
