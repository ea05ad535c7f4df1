import Entitlements
import Testing

/// What a user can do again and again is recorded so often a day, and then refused until the first of it is a day old.
@Suite struct DailyBoundTests {
    private static let start: Instant = "01-02"

    /// A user of nine seats, who acts by themselves unless a server does, which a note tells.
    private struct SeatHolder {
        var ledger = Story().has(seats: 9, from: "01-01", until: "12-01").ledger
        var isServer = false

        mutating func carryOut<Reply, Refusal>(
            at now: Instant, _ decide: (PurchaseHistory) -> Decision<Reply, Refusal>
        ) -> DailyBound.Exceeded? {
            let history = ledger.history(now: now)
            switch ledger.enter(decide(history).bounded(for: isServer ? nil : .alice, given: history), at: now) {
            case .failure(.exceeded(let exceeded)): return exceeded
            case .success, .failure(.refused): return nil
            }
        }

        mutating func consent(_ consents: Bool, at now: Instant) -> DailyBound.Exceeded? {
            carryOut(at: now) { ConsentToConsumption(.alice, consents: consents).decide(given: $0) }
        }

        mutating func register(_ device: Label, named name: Label?, at now: Instant) -> DailyBound.Exceeded? {
            let note: Note? = isServer ? .support : nil
            return carryOut(at: now) {
                RegisterDevice(device, of: .alice, named: name, note: note).decide(
                    given: $0, in: .plans, under: .withoutLeeway)
            }
        }

        mutating func suspend(_ device: Label, at now: Instant) -> DailyBound.Exceeded? {
            change(.suspend, device, at: now)
        }

        mutating func remove(_ device: Label, at now: Instant) -> DailyBound.Exceeded? {
            change(.remove, device, at: now)
        }

        private mutating func change(
            _ change: ChangeDevice.Change, _ device: Label, at now: Instant
        ) -> DailyBound.Exceeded? {
            carryOut(at: now) {
                ChangeDevice(change, of: device, of: .alice).decide(given: $0, in: .plans, under: .withoutLeeway)
            }
        }
    }

    private static func name(_ number: Int) -> Label { Label("name \(number)") }

    @Test func `consent changes twenty times within 24 hours, and again when the first change is a day old`() {
        var holder = SeatHolder()
        for number in 0..<20 { #expect(holder.consent(number % 2 == 0, at: Self.start + Int64(number)) == nil) }
        let exceeded = holder.consent(true, at: Self.start + 1_000)
        #expect(exceeded == .init(bound: .consent, until: Self.start + Instant.millisecondsPerDay))
        #expect(!holder.ledger.consentsToConsumption)
        #expect(holder.consent(true, at: Self.start + (Instant.millisecondsPerDay - 1)) != nil)
        #expect(holder.consent(true, at: Self.start + Instant.millisecondsPerDay) == nil)
        #expect(holder.consent(false, at: Self.start + Instant.millisecondsPerDay) == nil, "it is always taken back")
        #expect(!holder.ledger.consentsToConsumption)
        #expect(holder.consent(true, at: Self.start + Instant.millisecondsPerDay) != nil)
    }

    @Test func `what restates is answered however often it comes, and is not recorded`() {
        var holder = SeatHolder()
        #expect(holder.consent(true, at: Self.start) == nil)
        #expect(holder.register("phone", named: "phone", at: Self.start) == nil)
        let length = holder.ledger.entries.count
        for number in 0..<500 {
            #expect(holder.consent(true, at: Self.start + Int64(number)) == nil)
            #expect(holder.register("phone", named: "phone", at: Self.start + Int64(number)) == nil)
        }
        #expect(holder.ledger.entries.count == length)
    }

    @Test func `a device is renamed twenty times a day, which its registration does not count among`() {
        var holder = SeatHolder()
        #expect(holder.register("phone", named: "new", at: Self.start) == nil)
        #expect(holder.register("tablet", named: "new", at: Self.start) == nil)
        for number in 0..<20 {
            #expect(
                holder.register(number % 2 == 0 ? "phone" : "tablet", named: Self.name(number), at: Self.start) == nil)
        }
        let first = holder.ledger.entries[holder.ledger.entries.count - 20].recordedAt
        #expect(
            holder.register("phone", named: "late", at: Self.start + 1_000)
                == .init(bound: .deviceName, until: first + Instant.millisecondsPerDay))
        #expect(holder.register("watch", named: "new", at: Self.start + 1_000) == nil, "another kind of act")
        #expect(holder.remove("phone", at: Self.start + 1_000) == nil)
        #expect(holder.register("phone", named: "late", at: Self.start + 1_000) == nil, "it registers like a new one")
    }

    @Test(arguments: [false, true])
    func `a device that was registered days ago is renamed as often, suspended or not`(isSuspended: Bool) {
        var holder = SeatHolder()
        #expect(holder.register("phone", named: "new", at: Self.start) == nil)
        if isSuspended { #expect(holder.suspend("phone", at: Self.start) == nil) }
        let later = Self.start + 3 * Instant.millisecondsPerDay
        for number in 0..<20 { #expect(holder.register("phone", named: Self.name(number), at: later) == nil) }
        #expect(
            holder.register("phone", named: "late", at: later + 1_000)
                == .init(bound: .deviceName, until: later + Instant.millisecondsPerDay))
    }

    @Test func `devices come two hundred times a day, and can always go`() {
        var holder = SeatHolder()
        for number in 0..<200 {
            let at = Self.start + Int64(number)
            #expect(holder.register("phone", named: nil, at: at) == nil)
            if number < 199 { #expect(holder.remove("phone", at: at) == nil) }
        }
        let late = Self.start + 1_000
        let exceeded = DailyBound.Exceeded(bound: .device, until: Self.start + Instant.millisecondsPerDay)
        #expect(holder.register("tablet", named: nil, at: late) == exceeded)
        #expect(holder.remove("phone", at: late) == nil)
        #expect(holder.register("phone", named: nil, at: late) == exceeded)
    }

    @Test(arguments: [DailyBound.deviceName, .device])
    func `however often a device was renamed or came, a day after the last time none of it counts`(bound: DailyBound) {
        var holder = SeatHolder()
        #expect(holder.register("phone", named: "new", at: Self.start) == nil)
        func comesAgain(named name: Label, at now: Instant) -> DailyBound.Exceeded? {
            if bound == .device { #expect(holder.remove("phone", at: now) == nil) }
            return holder.register("phone", named: name, at: now)
        }
        let later = Self.start + 3 * Instant.millisecondsPerDay
        for number in 0..<bound.limit { #expect(comesAgain(named: Self.name(number), at: later) == nil) }
        #expect(comesAgain(named: "late", at: later + 1_000)?.bound == bound)
        let last = holder.ledger.entries.last { $0.fact.kindText == "device" }?.recordedAt ?? later
        #expect(comesAgain(named: "late", at: last + Instant.millisecondsPerDay) == nil)
    }

    @Test func `a server answers for its own acts, and they take nothing from the user`() {
        var holder = SeatHolder()
        holder.isServer = true
        for number in 0..<50 { #expect(holder.register("phone", named: Self.name(number), at: Self.start) == nil) }
        holder.isServer = false
        for number in 0..<20 { #expect(holder.register("phone", named: Self.name(number), at: Self.start) == nil) }
        #expect(holder.register("phone", named: "late", at: Self.start) != nil)
        holder.isServer = true
        #expect(holder.register("phone", named: "late", at: Self.start) == nil)
    }

    @Test func `an entry says whether the user did it by themselves, whose words it has or not`() {
        var ledger = Story().ledger
        let act = Fact.consumptionConsent(true)
        let user = Note(actor: nil, device: DeviceID("a"))
        ledger.append(
            [
                .init(act, at: "01-01"), .init(act, at: "01-01", note: user), .init(act, at: "01-01", note: .support),
                .init(.device(DeviceAct("a", .seen)), at: "01-01"),
                .init(.credit(.released(ReservationID("r"))), at: "01-01"),
                .init(.sandboxTester(true), at: "01-01"), .init(.bound(.pass("p")), at: "01-01"),
                .init(.stated(.purchase(.state(of: "p", at: "01-01"))), at: "01-01"),
            ], at: "01-01")
        #expect(ledger.entries.map(\.isOwnAct) == [true, true, false, true, true, false, false, false])
        #expect(ledger.entries.allSatisfy { $0.note == nil }, "words are nobody's until they are digested")
    }

    @Test func `credits are drawn two thousand times a day`() {
        let at = Self.start
        var ledger = Story().ledger
        let spends = (0..<1_999).map { number in
            LedgerEntry.Draft(
                .credit(
                    .spent(
                        Spend(
                            idempotencyKey: "k\(number)", request: "", purse: .credit, amount: 0, draws: [],
                            spendableAfter: 0))
                ),
                at: at)
        }
        ledger.append(spends, at: at)
        let history = ledger.history(now: at + 10_000)
        let next = Decision<Void, Never>(drafts: [.alice: [spends[0]]], answer: .success(()))
        guard case .success = next.bounded(for: .alice, given: history).answer else {
            Issue.record("the 2,000th is recorded")
            return
        }
        let two = Decision<Void, Never>(drafts: [.alice: [spends[0], spends[1]]], answer: .success(()))
        guard case .failure(.exceeded(let exceeded)) = two.bounded(for: .alice, given: history).answer else {
            Issue.record("the 2,001st is not")
            return
        }
        #expect(exceeded == .init(bound: .credits, until: at + Instant.millisecondsPerDay))
        let release = LedgerEntry.Draft(.credit(.released(ReservationID("r"))), at: at)
        let third = Decision<Void, Never>(drafts: [.alice: [spends[0], release]], answer: .success(()))
        #expect(!third.bounded(for: .alice, given: history).changesNothing, "what was reserved can be released")
        #expect(two.bounded(for: .alice, given: history).changesNothing)
    }

    @Test func `no evidence is ever refused, however much has come`() {
        var ledger = Story().ledger
        let pass = VerifiedPurchase.state(of: "p", at: "01-01")
        ledger.append((0..<10_000).map { _ in .init(.stated(.purchase(pass)), at: "01-01") }, at: Self.start)
        let history = ledger.history(now: Self.start + 20_000)
        let binding = Decision<Void, Never>(
            bindings: [pass.key: .alice], drafts: [.alice: [.init(.stated(.purchase(pass)), at: "01-01")]],
            answer: .success(()))
        guard case .success = binding.bounded(for: .alice, given: history).answer else {
            Issue.record("it is recorded")
            return
        }
    }
}
