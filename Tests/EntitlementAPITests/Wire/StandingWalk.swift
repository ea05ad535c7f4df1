import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

@testable import EntitlementAPI

/// A walk of three users over two instances, drawn from a seed. The second instance is restarted, at last with other
/// settings.
actor StandingWalk {
    /// How often a stored answer was sent, by the settings, and how often a row that was asked for in vain was left to
    /// the other instance, taken from it, and made anew after its time or for a ledger that had grown.
    struct Counts: Sendable {
        var sent: [String: Int] = [:]
        var (left, taken, late, grown) = (0, 0, 0, 0)
    }

    /// The sums of all walks.
    actor Tally {
        private(set) var counts = Counts()

        func add(_ other: Counts) {
            counts.sent.merge(other.sent, uniquingKeysWith: +)
            counts.left += other.left
            counts.taken += other.taken
            counts.late += other.late
            counts.grown += other.grown
        }
    }

    private struct Instance: Sendable {
        let store: Store
        let opened: OpenStore
        let settings: EntitlementSettings

        /// The settings as a row has them.
        var name: String {
            "\(settings.sandboxAccess.rawValue),\(settings.renewalLeewayHours),\(settings.seatGraceHours)"
        }
    }

    /// A stored row, and the length of the ledger beside it.
    private struct Row: Hashable {
        let length: Int
        let settings: String
        let from: Instant
        let until: Instant
        let present: Int

        func holds(at instant: Instant) -> Bool { length == present && from <= instant && instant < until }
    }

    static let settings = [
        EntitlementSettings(sandboxAccess: .everyone),
        EntitlementSettings(sandboxAccess: .testers, renewalLeewayHours: 3, seatGraceHours: 0),
        EntitlementSettings(sandboxAccess: .nobody, seatGraceHours: 2),
    ]
    private static let hour = Instant.millisecondsPerHour
    /// The time for which the row of other settings is left alone.
    private static let patience: Int64 = 60_000

    private let observer: OpenStore
    private let clock: TestClock
    private let seed: UInt64
    private let users: [UserID]
    private let fence: UserID
    private var chance: SeededChance
    private var counts = Counts()
    private var number = 0

    init(observer: OpenStore, clock: TestClock, seed: UInt64) throws {
        self.observer = observer
        self.clock = clock
        self.seed = seed
        users = try (1...3).map { try Fixture.user("u\($0)") }
        fence = try Fixture.user("fence")
        chance = SeededChance("two instances", seed: seed)
    }

    func run() async throws -> Counts {
        let settings = Self.settings.shuffled(using: &chance)
        try await beside(settings[0]) { first in
            for user in self.users + [self.fence] { try await self.sellPass(to: user, through: first) }
            for restarted in [settings[1], settings[1], settings[2]] {
                try await self.beside(restarted) { try await self.live(first, $0) }
            }
        }
        return counts
    }

    private func beside(
        _ settings: EntitlementSettings, _ body: @Sendable (Instance) async throws -> Void
    ) async throws {
        try await observer.beside(
            settings: LedgerSettings(entitlements: settings, labels: Fixture.labels), format: StatusBody.format,
            clock: clock
        ) { try await body(Instance(store: $0.store, opened: $0, settings: settings)) }
    }

    /// Fourteen steps from the start of the second instance, which makes all rows of other settings its own.
    private func live(_ first: Instance, _ started: Instance) async throws {
        var place: UInt64? = 0
        while let after = place { place = try await started.store.standings.makeWhole(after: after) }
        let strange = "SELECT COUNT(*) FROM standing_answers WHERE settings <> ?"
        #expect(try await observer.schema.number(strange, [.text(started.name)]) == 0)
        for _ in 0..<14 {
            number += 1
            let user = users[.random(in: 0..<users.count, using: &chance)]
            try await step(user, through: Bool.random(using: &chance) ? first : started)
            try await ask(user, Bool.random(using: &chance) ? first : started)
            for instance in [first, started] { try await check(user, instance) }
        }
    }

    // MARK: Steps

    private func step(_ user: UserID, through instance: Instance) async throws {
        switch Int.random(in: 0..<12, using: &chance) {
        case 0: try await sellPass(to: user, through: instance)
        case 1: try await sellPlan(to: user, through: instance)
        case 2: try await act(user, through: instance)
        case 3: try await register(user, through: instance)
        case 4:
            while try await instance.store.standings.makeDueAnew() > 0 {}
            #expect(try await instance.store.standings.overdue().count == 0)
        default: try await advance(user, instance)
        }
    }

    private func key() -> PurchaseKey {
        PurchaseKey(
            source: .appleIAP, app: Fixture.app, environment: Bool.random(using: &chance) ? .sandbox : .production,
            externalID: ExternalID("\(seed).\(Int.random(in: 0..<1_000_000_000, using: &chance))"))
    }

    /// A pass, perhaps one that is over soon or taken back in part, or credits.
    private func sellPass(to user: UserID, through instance: Instance) async throws {
        let (key, now) = (key(), clock.now)
        let isCredits = Int.random(in: 0..<4, using: &chance) == 0
        let boughtAt = now + -Self.hour * .random(in: 0...(31 * 24), using: &chance)
        let share = [nil, nil, 50_000].randomElement(using: &chance) ?? nil
        try await instance.opened.sell(
            VerifiedPurchase(
                key: key, transactionID: TransactionID(key.externalID.text),
                productID: ProductID(isCredits ? "credits" : "pass.30d"), type: isCredits ? .consumable : .pass,
                purchasedAt: boughtAt, revocation: share.map { Revocation(revokedAt: now, share: $0) }, signedAt: now),
            to: user)
    }

    /// A period that has ended or ends soon, and how it renews.
    private func sellPlan(to user: UserID, through instance: Instance) async throws {
        let (key, now) = (key(), clock.now)
        let endsAt = now + Self.hour * .random(in: -30...20, using: &chance)
        try await instance.opened.sell(
            VerifiedPurchase(
                key: key, transactionID: TransactionID(key.externalID.text), periodID: "1",
                productID: ProductID("annual3"), type: .plan, purchasedAt: endsAt + -48 * Self.hour, expiresAt: endsAt,
                signedAt: min(now, endsAt)), to: user)
        try await instance.opened.tell(
            VerifiedRenewal(
                key: key, signedAt: min(now, endsAt), willRenew: Bool.random(using: &chance),
                graceEndsAt: Bool.random(using: &chance) ? endsAt + 16 * Self.hour : nil, isInRetry: false))
    }

    /// An operator gives a window, or has the user on the list of testers or off it.
    private func act(_ user: UserID, through instance: Instance) async throws {
        let (act, id) = (OperatorAct(on: user, note: Note(actor: "ann", reason: "asked")), key().externalID)
        guard Bool.random(using: &chance) else {
            let isTester = Bool.random(using: &chance)
            _ = try await instance.store.ledger.record(for: [user]) { act.nameSandboxTester(isTester, given: $0) }
            return
        }
        let end = clock.now + Self.hour * .random(in: 1...40, using: &chance)
        _ = try await instance.store.ledger.record(for: [user], keys: [Grant.key(id)]) {
            act.give(.until(end, of: TierID("pro")), as: id, given: $0, in: $1)
        }
    }

    private func register(_ user: UserID, through instance: Instance) async throws {
        let device = Fixture.labels.label(.device, user.text, "\(Int.random(in: 0..<9, using: &chance))")
        _ = try await instance.store.ledger.record(for: [user]) {
            RegisterDevice(device, of: user).decide(given: $0, in: $1.catalogue, under: $1.settings)
        }
    }

    /// Puts the clock forward: around the next change, around the minute for which a row is left alone, or anywhere.
    private func advance(_ user: UserID, _ instance: Instance) async throws {
        let now = clock.now
        let next = min(try await fold(user, instance.settings, at: now).holdsUntil, now + 1_000 * Self.hour)
        let over = try await row(of: user).map { $0.from + Self.patience } ?? now
        let places = [
            next + -1, next, next + 1, over + -1, over, now + .random(in: 0...70_000, using: &chance),
            now + Self.hour * .random(in: 1...10, using: &chance),
        ]
        clock.now = places.filter { now <= $0 && $0 < now + 900 * Self.hour }.randomElement(using: &chance) ?? now
    }

    // MARK: Answers

    private func fold(_ user: UserID, _ settings: EntitlementSettings, at: Instant) async throws -> Standing {
        let ledger = UserLedger(user: user, entries: try await observer.store.reader.ledger(of: user).entries)
        let timeline = Timeline(folding: ledger, given: Fixture.catalogue, settings: settings, testersAt: at)
        return Standing(of: ledger, in: timeline, at: at)
    }

    private func row(of user: UserID) async throws -> Row? {
        let row = try await observer.schema.rows(
            """
            SELECT a.ledger_length, a.settings, a.valid_from, a.valid_until, u.ledger_length
            FROM standing_answers a JOIN users u ON u.pseudonym = a.user_id WHERE u.user_id = ?
            """, [.text(user.text)]
        ).first
        guard case .uint64(let length)? = row?[0], case .text(let settings)? = row?[1],
            case .int64(let from)? = row?[2],
            case .int64(let until)? = row?[3], case .uint64(let present)? = row?[4]
        else { return nil }
        return Row(
            length: Int(length), settings: settings, from: Instant(milliseconds: from),
            until: Instant(milliseconds: until), present: Int(present))
    }

    /// Answers the status as the route does, and looks what became of the row.
    private func ask(_ user: UserID, _ instance: Instance) async throws {
        let (now, place) = (clock.now, "seed \(seed), step \(number)")
        let before = try await row(of: user)
        guard try await instance.store.standings.answer(about: user, at: now) == nil else { return }
        try await keep(user, instance)
        try await drain(instance)
        let after = try #require(try await row(of: user))
        if let before, before.holds(at: now), now < before.from + Self.patience {
            #expect(after == before && before.settings != instance.name, "\(place): it is left to the other")
            counts.left += 1
            return
        }
        #expect(after.settings == instance.name && after.from == now && after.holds(at: now), "\(place)")
        guard let before else { return }
        if before.holds(at: now) {
            counts.taken += 1
        } else if before.length == before.present {
            counts.late += 1
        } else {
            counts.grown += 1
        }
    }

    private func keep(_ user: UserID, _ instance: Instance) async throws {
        let (ledger, head) = try await instance.store.reader.read(user)
        let timeline = Timeline(
            folding: ledger, given: Fixture.catalogue, settings: instance.settings, testersAt: clock.now)
        let standing = Standing(of: ledger, in: timeline, at: clock.now)
        instance.store.standings.keep(
            standing, StatusBody.answer(standing.status), of: try #require(head), given: Fixture.catalogue)
    }

    /// Waits until the answers that were kept before are written: they are written in their order.
    private func drain(_ instance: Instance) async throws {
        try await observer.schema.rows(
            "DELETE a FROM standing_answers a JOIN users u ON u.pseudonym = a.user_id WHERE u.user_id = 'fence'")
        try await keep(fence, instance)
        for _ in 0..<5_000 {
            if try await instance.store.standings.answer(about: fence, at: clock.now) != nil { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        Issue.record("nothing was written")
    }

    /// Holds stored answers against folds, now and around the next change. The instance's own row is sent while it
    /// holds.
    private func check(_ user: UserID, _ instance: Instance) async throws {
        let (now, row) = (clock.now, try await row(of: user))
        let next = try await fold(user, instance.settings, at: now).holdsUntil
        for at in next == .distantFuture ? [now, now + 1] : [now, next + -1, next, next + 1] {
            let place = "seed \(seed), step \(number), \(instance.name) at \(at.milliseconds)"
            let stored = try await instance.store.standings.answer(about: user, at: at)
            let isOwn = row.map { $0.settings == instance.name && $0.holds(at: at) } ?? false
            #expect((stored != nil) == isOwn, "\(place)")
            guard let stored else { continue }
            #expect(stored == StatusBody.answer(try await fold(user, instance.settings, at: at).status), "\(place)")
            counts.sent[instance.name, default: 0] += 1
        }
    }
}
