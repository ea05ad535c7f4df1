import Entitlements
import Testing

/// What a user may do with their devices (`semantics.md` §8), one decision after the other.
@Suite struct DeviceUseCaseTests {
    /// A user with seats whose decisions are entered one by one.
    private struct SeatHolder {
        var ledger: UserLedger
        /// What stands beside each act.
        var note: Note?

        init(_ story: Story) { ledger = story.ledger }

        mutating func register(
            _ device: Label, at now: Instant, named name: Label? = nil, isPinned: Bool? = nil
        ) -> Result<RegisterDevice.Reply, DeviceRefusal> {
            let use = RegisterDevice(device, of: .alice, named: name, isPinned: isPinned, note: note)
            return ledger.enter(
                use.decide(given: ledger.history(now: now), in: .plans, under: .withoutLeeway), at: now)
        }

        mutating func reactivate(_ device: Label, at now: Instant) -> Result<Device, DeviceRefusal> {
            change(.reactivate, device, at: now)
        }

        mutating func suspend(_ device: Label, at now: Instant) -> Result<Device, DeviceRefusal> {
            change(.suspend, device, at: now)
        }

        mutating func see(_ device: Label, at now: Instant) -> Result<Device, DeviceRefusal> {
            change(.see, device, at: now)
        }

        mutating func remove(_ device: Label, at now: Instant) -> DeviceRefusal? {
            switch told(.remove, device, at: now) {
            case .success: return nil
            case .failure(let refusal): return refusal
            }
        }

        private mutating func change(
            _ change: ChangeDevice.Change, _ device: Label, at now: Instant
        ) -> Result<Device, DeviceRefusal> {
            told(change, device, at: now).flatMap { $0.map { .success($0) } ?? .failure(.unknownDevice) }
        }

        private mutating func told(
            _ change: ChangeDevice.Change, _ device: Label, at now: Instant
        ) -> Result<Device?, DeviceRefusal> {
            let use = ChangeDevice(change, of: device, of: .alice, note: note)
            return ledger.enter(
                use.decide(given: ledger.history(now: now), in: .plans, under: .withoutLeeway), at: now)
        }

        func devices(at instant: Instant) -> DeviceRoster {
            Timeline(folding: ledger, given: .plans, settings: .withoutLeeway).devices(at: instant)
        }

        /// How many facts `change` enters.
        mutating func facts(of change: (inout SeatHolder) -> Void) -> Int {
            let before = ledger.entries.count
            change(&self)
            return ledger.entries.count - before
        }
    }

    private static func seats(_ count: Int) -> SeatHolder {
        SeatHolder(Story().has(seats: count, from: "01-01", until: "02-01"))
    }

    // MARK: Register

    @Test(arguments: [nil, .support] as [Note?])
    func `each act keeps the note that it is given`(note: Note?) {
        var holder = Self.seats(2)
        let start = holder.ledger.entries.count
        holder.note = note
        _ = holder.register("a", at: "01-02")
        _ = holder.register("a", at: "01-03", isPinned: true)
        _ = holder.suspend("a", at: "01-04")
        _ = holder.reactivate("a", at: "01-05")
        _ = holder.see("a", at: "01-06")
        _ = holder.remove("a", at: "01-07")
        #expect(
            holder.ledger.entries.dropFirst(start).map(\.note)
                == Array(repeating: note.map { NoteDigest(of: $0) }, count: 6))
    }

    @Test func `a new device is active and its reply is what the fold says`() throws {
        var holder = Self.seats(2)
        let reply = try holder.register("a", at: "01-02", named: "Phone", isPinned: true).get()
        #expect(reply.isNew)
        #expect(reply.device == holder.devices(at: "01-02")["a"])
        #expect(reply.device.name == "Phone" && reply.device.isPinned && reply.device.state == .active)
        #expect(reply.device.registeredAt == "01-02" && reply.device.lastSeenAt == "01-02")
        #expect(holder.ledger.entries.last?.effectiveAt == "01-02")
    }

    @Test func `a repeat is there already and records nothing`() throws {
        var holder = Self.seats(1)
        let first = try holder.register("a", at: "01-02", named: "Phone").get()
        let facts = holder.facts { holder in
            #expect(
                holder.register("a", at: "01-03", named: "Phone", isPinned: false)
                    == .success(.init(device: first.device, isNew: false)))
            #expect(holder.register("a", at: "01-04") == .success(.init(device: first.device, isNew: false)))
        }
        #expect(facts == 0)
    }

    @Test func `a repeat changes the name or the pin that it names and nothing else`() throws {
        var holder = Self.seats(1)
        _ = try holder.register("a", at: "01-02", named: "Phone").get()
        let pinned = try holder.register("a", at: "01-03", isPinned: true).get()
        #expect(!pinned.isNew && pinned.device.isPinned && pinned.device.name == "Phone")
        let renamed = try holder.register("a", at: "01-04", named: "Tablet").get()
        #expect(renamed.device.isPinned && renamed.device.name == "Tablet")
        #expect(renamed.device.registeredAt == "01-02" && renamed.device.lastSeenAt == "01-02")
        _ = try holder.suspend("a", at: "01-05").get()
        let suspended = try holder.register("a", at: "01-06", isPinned: false).get()
        #expect(suspended.device.state == .suspended(by: .user))
    }

    @Test func `a device is shown in the words that gave it its name, whatever is said of it later`() throws {
        var holder = Self.seats(1)
        holder.note = Note(actor: nil, device: DeviceID("a"))
        _ = try holder.register("a", at: "01-02").get()
        let registered = holder.devices(at: "01-02")["a"]
        #expect(registered?.words == NoteDigest(of: Note(actor: nil, device: DeviceID("a"))))
        let named = Note(actor: nil, device: DeviceID("a"), deviceName: DeviceName("Phone"))
        holder.note = named
        #expect(try holder.register("a", at: "01-03", named: "Phone").get().device.words == nil, "still to be entered")
        holder.note = Note(actor: "server", device: DeviceID("a"))
        let pinned = try holder.register("a", at: "01-04", isPinned: true).get()
        #expect(pinned.device.words == NoteDigest(of: named))
        _ = try holder.suspend("a", at: "01-05").get()
        #expect(holder.devices(at: "01-05")["a"]?.words == NoteDigest(of: named))
        #expect(holder.devices(at: "01-05")["a"]?.name == "Phone")
    }

    @Test func `without a free seat, a new device is refused with the counts`() throws {
        var holder = Self.seats(1)
        _ = try holder.register("a", at: "01-02").get()
        let facts = holder.facts { holder in
            #expect(
                holder.register("b", at: "01-02")
                    == .failure(.seatLimitReached(DeviceSeats(allowed: 1, active: 1, suspended: 0))))
        }
        #expect(facts == 0)
        var nobody = SeatHolder(Story())
        #expect(
            nobody.register("a", at: "01-02")
                == .failure(.seatLimitReached(DeviceSeats(allowed: 0, active: 0, suspended: 0))))
    }

    @Test func `the grace keeps seats and gives none`() throws {
        var holder = SeatHolder(
            Story().has(seats: 3, from: "01-01", until: "02-01").has(seats: 2, from: "02-01", until: "03-01"))
        for device in ["a", "b"] as [Label] { _ = try holder.register(device, at: "01-02").get() }
        #expect(holder.devices(at: "02-01 12:00").seats == DeviceSeats(allowed: 2, active: 2, suspended: 0))
        #expect(
            holder.register("c", at: "02-01 12:00")
                == .failure(.seatLimitReached(DeviceSeats(allowed: 2, active: 2, suspended: 0))))
    }

    @Test func `a 101st device is refused before seats are asked about`() throws {
        var holder = SeatHolder(Story().has(seats: 1, from: "01-01", until: "02-01"))
        for number in 1...DeviceRoster.maximumOnRecord {
            let device = Label("d\(number)")
            _ = try holder.register(device, at: "01-02").get()
            if number < DeviceRoster.maximumOnRecord { _ = try holder.suspend(device, at: "01-02").get() }
        }
        #expect(holder.devices(at: "01-03").seats == DeviceSeats(allowed: 1, active: 1, suspended: 99))
        #expect(holder.register("more", at: "01-03") == .failure(.tooManyDevices))
        #expect(holder.register("d100", at: "01-03", isPinned: true).map(\.isNew) == .success(false))
        #expect(holder.remove("d7", at: "01-04") == nil)
        #expect(
            holder.register("more", at: "01-05")
                == .failure(.seatLimitReached(DeviceSeats(allowed: 1, active: 1, suspended: 98))))
    }

    @Test func `of two devices, one after the other, only one gets the last seat`() {
        var holder = Self.seats(1)
        let history = holder.ledger.history(now: "01-02")
        let first = RegisterDevice("a", of: .alice).decide(given: history, in: .plans, under: .withoutLeeway)
        let again = RegisterDevice("a", of: .alice).decide(given: history, in: .plans, under: .withoutLeeway)
        #expect(first.drafts == again.drafts && first.answer == again.answer, "a decision may be made again")
        #expect(holder.ledger.enter(first, at: "01-02").map(\.isNew) == .success(true))
        // The same instant, and a clock that is behind.
        for now in ["01-02", "01-01 12:00"] as [Instant] {
            #expect(
                holder.register("b", at: now)
                    == .failure(.seatLimitReached(DeviceSeats(allowed: 1, active: 1, suspended: 0))))
        }
    }

    @Test func `a clock that is behind finds all that was done before`() throws {
        var holder = Self.seats(2)
        _ = try holder.register("a", at: "01-02").get()
        _ = try holder.register("b", at: "01-10").get()
        #expect(
            holder.register("c", at: "01-05")
                == .failure(.seatLimitReached(DeviceSeats(allowed: 2, active: 2, suspended: 0))))
    }

    @Test func `a removed device registers like a new one`() throws {
        var holder = Self.seats(1)
        _ = try holder.register("a", at: "01-02", named: "Phone", isPinned: true).get()
        #expect(holder.remove("a", at: "01-03") == nil)
        #expect(holder.devices(at: "01-03").count == 0)
        let reply = try holder.register("a", at: "01-04").get()
        #expect(reply.isNew && reply.device.name == nil && !reply.device.isPinned)
        #expect(reply.device.registeredAt == "01-04")
    }

    // MARK: Suspend and reactivate

    @Test func `a suspended device gives its seat free and needs one to come back`() throws {
        var holder = Self.seats(1)
        _ = try holder.register("a", at: "01-02").get()
        #expect(try holder.suspend("a", at: "01-03").get().state == .suspended(by: .user))
        _ = try holder.register("b", at: "01-04").get()
        #expect(
            holder.reactivate("a", at: "01-05")
                == .failure(.seatLimitReached(DeviceSeats(allowed: 1, active: 1, suspended: 1))))
        #expect(holder.remove("b", at: "01-06") == nil)
        #expect(holder.devices(at: "01-06").lines == ["a suspended by user"])
        #expect(try holder.reactivate("a", at: "01-07").get().state == .active)
        #expect(holder.devices(at: "01-07").lines == ["a active"])
    }

    @Test func `a repeated act records nothing`() throws {
        var holder = Self.seats(1)
        _ = try holder.register("a", at: "01-02").get()
        let facts = holder.facts { holder in
            #expect(holder.reactivate("a", at: "01-03").map(\.state) == .success(.active))
            #expect(holder.suspend("a", at: "01-04").map(\.state) == .success(.suspended(by: .user)))
            #expect(holder.suspend("a", at: "01-05").map(\.state) == .success(.suspended(by: .user)))
        }
        #expect(facts == 1)
    }

    @Test func `a device that the limit suspended is reactivated only by a free seat`() throws {
        var holder = SeatHolder(
            Story().has(seats: 2, from: "01-01", until: "02-01").has(seats: 1, from: "02-01", until: "03-01"))
        for device in ["a", "b"] as [Label] { _ = try holder.register(device, at: "01-02").get() }
        #expect(holder.devices(at: "02-03").lines == ["a active", "b suspended by limit"])
        #expect(
            holder.reactivate("b", at: "02-03")
                == .failure(.seatLimitReached(DeviceSeats(allowed: 1, active: 1, suspended: 1))))
        #expect(try holder.suspend("b", at: "02-04").get().state == .suspended(by: .user))
        #expect(try holder.suspend("a", at: "02-05").get().state == .suspended(by: .user))
        #expect(holder.devices(at: "02-05").lines == ["a suspended by user", "b suspended by user"])
        #expect(try holder.reactivate("b", at: "02-06").get().state == .active)
    }

    // MARK: Seen and removed

    @Test func `a device that comes first anyway is recorded as seen once a day`() throws {
        var holder = Self.seats(1)
        _ = try holder.register("a", at: "01-02").get()
        let facts = holder.facts { holder in
            #expect(holder.see("a", at: "01-02 23:59:59.999").map(\.lastSeenAt) == .success("01-02"))
            #expect(holder.see("a", at: "01-03 00:00").map(\.lastSeenAt) == .success("01-03"))
            #expect(holder.see("a", at: "01-03 12:00").map(\.lastSeenAt) == .success("01-03"))
            #expect(holder.see("a", at: "01-04 01:00").map(\.lastSeenAt) == .success("01-04 01:00"))
        }
        #expect(facts == 2)
    }

    @Test func `devices that are seen by turns are recorded 200 times within 24 hours, and then again`() throws {
        var holder = Self.seats(2)
        for device in ["a", "b"] as [Label] { _ = try holder.register(device, at: "01-02").get() }
        let recorded = try (1...1_443).filter { (minute: Int64) in
            let instant = Instant("01-02") + minute * 60_000
            return try holder.see(minute % 2 == 0 ? "a" : "b", at: instant).get().lastSeenAt == instant
        }
        #expect(recorded == Array(1...200) + [1_441, 1_442, 1_443], "the last as each of the 200 is a day old")
        #expect(ChangeDevice.dailyLimit == 200)
    }

    @Test func `what a user spends is no sighting of a device`() throws {
        var holder = Self.seats(2)
        for device in ["a", "b"] as [Label] { _ = try holder.register(device, at: "01-01").get() }
        for number in 0..<ChangeDevice.dailyLimit {
            let spend = Spend(
                idempotencyKey: "\(number)", request: "", purse: .credit, amount: 0, draws: [], spendableAfter: 0)
            holder.ledger.append([.init(.credit(.spent(spend)), at: "01-03")], at: "01-03")
        }
        #expect(holder.see("b", at: "01-03 12:00").map(\.lastSeenAt) == .success("01-03 12:00"))
    }

    @Test func `a device that another goes before is recorded as seen once a minute, and goes before it`() throws {
        var holder = Self.seats(2)
        for device in ["a", "b"] as [Label] { _ = try holder.register(device, at: "01-02").get() }
        let facts = holder.facts { holder in
            #expect(
                holder.see("a", at: "01-02 00:00:01").map(\.lastSeenAt) == .success("01-02"), "by its id it is first")
            #expect(holder.see("b", at: "01-02 00:00:59").map(\.lastSeenAt) == .success("01-02"), "too soon")
            #expect(holder.see("b", at: "01-02 00:01:00").map(\.lastSeenAt) == .success("01-02 00:01:00"))
            #expect(
                holder.see("b", at: "01-02 00:30:00").map(\.lastSeenAt) == .success("01-02 00:01:00"), "it is first")
            #expect(holder.see("a", at: "01-02 00:01:01").map(\.lastSeenAt) == .success("01-02 00:01:01"))
        }
        #expect(facts == 2)
        #expect(holder.devices(at: "01-02 00:02:00")["a"]?.lastSeenAt == "01-02 00:01:01")
    }

    @Test func `a pinned device goes before those that are not, however late they are seen`() throws {
        var holder = Self.seats(2)
        _ = try holder.register("a", at: "01-02", isPinned: true).get()
        _ = try holder.register("b", at: "01-02 00:00:01").get()
        #expect(holder.facts { _ = $0.see("a", at: "01-02 00:00:02") } == 0, "its place stays the same")
        #expect(holder.facts { _ = $0.see("b", at: "01-02 00:05:00") } == 0)
    }

    @Test func `a suspended device is seen too`() throws {
        var holder = Self.seats(1)
        _ = try holder.register("a", at: "01-02").get()
        _ = try holder.suspend("a", at: "01-02").get()
        let device = try holder.see("a", at: "01-03").get()
        #expect(device.lastSeenAt == "01-03" && device.state == .suspended(by: .user))
    }

    @Test func `removing twice answers alike and records once`() throws {
        var holder = Self.seats(1)
        _ = try holder.register("a", at: "01-02").get()
        let facts = holder.facts { holder in
            #expect(holder.remove("a", at: "01-03") == nil)
            #expect(holder.remove("a", at: "01-04") == nil)
        }
        #expect(facts == 1)
    }

    @Test func `nothing is done to a device that is not on record`() throws {
        var holder = Self.seats(1)
        _ = try holder.register("other", at: "01-02").get()
        let facts = holder.facts { holder in
            #expect(holder.reactivate("a", at: "01-03") == .failure(.unknownDevice))
            #expect(holder.suspend("a", at: "01-03") == .failure(.unknownDevice))
            #expect(holder.see("a", at: "01-03") == .failure(.unknownDevice))
            #expect(holder.remove("a", at: "01-03") == .unknownDevice)
        }
        #expect(facts == 0)
        #expect(holder.remove("other", at: "01-04") == nil)
        #expect(holder.reactivate("other", at: "01-05") == .failure(.unknownDevice))
        #expect(holder.suspend("other", at: "01-05") == .failure(.unknownDevice))
        #expect(holder.see("other", at: "01-05") == .failure(.unknownDevice))
    }

    @Test func `a user without a ledger has no devices`() {
        let history = PurchaseHistory(now: "01-01", ledgers: [:], purchases: [:], tokenHolders: [:])
        let decision = RegisterDevice("a", of: .alice).decide(given: history, in: .plans, under: .withoutLeeway)
        #expect(decision.answer == .failure(.seatLimitReached(DeviceSeats(allowed: 0, active: 0, suspended: 0))))
        #expect(decision.drafts.isEmpty)
    }
}
