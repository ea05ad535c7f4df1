import Entitlements
import LedgerStore
import Support
import Testing

/// The staff's rows: people, links, passwords and sessions (`threats.md` T27).
@Suite(.serialized) struct StaffTests {
    private static func token() -> [UInt8] { (0..<32).map { _ in .random(in: .min ... .max) } }
    private static let hour = Instant.millisecondsPerHour

    /// The staff of a store, by its clock. Throws what `body` throws.
    private static func open(_ body: @Sendable (TestStore, Staff) async throws -> Void) async throws {
        try await TestStore.open { store in
            let clock = store.clock
            let staff = Staff(
                pool: store.instances[0].pool, audit: TestOperators(store).audit, labels: Sample.labels,
                now: { clock.now })
            try await body(store, staff)
        }
    }

    /// Adds a person. Throws when the database is away.
    private static func add(_ name: String, _ link: [UInt8], to staff: Staff) async throws -> StaffMember? {
        let request = try #require(StaffRequest(name: name, role: .owner))
        return try await staff.create(request, link: link, by: .commandLine, reason: nil)
    }

    /// A session of a new person, whose password is `hash`. Throws when there is none.
    private static func session(
        of name: String, _ token: [UInt8], hours: Int = 12, at staff: Staff
    ) async throws -> StaffSession {
        let link = Self.token()
        let member = try #require(try await add(name, link, to: staff))
        _ = try #require(try await staff.set(password: "hash", link: link))
        return try #require(try await again(member, token, hours: hours, at: staff))
    }

    /// A further session of a person whose password is `hash`; nil if they may not sign in. Throws for a try that
    /// waits.
    private static func again(
        _ member: StaffMember, _ token: [UInt8], hours: Int = 12, at staff: Staff
    ) async throws -> StaffSession? {
        guard case .compare(let number, _, _) = try await staff.begin(member.name, from: [1, 2, 3, 4]) else {
            throw Sample.UnknownText()
        }
        return try await staff.open(number, of: member, password: "hash", token: token, hours: hours)
    }

    @Test func `a name is taken once, and a creation that is repeated under its link is the same one`() async throws {
        try await Self.open { _, staff in
            let link = Self.token()
            let mara = try #require(try await Self.add("mara", link, to: staff))
            #expect(try await Self.add("mara", link, to: staff) == mara)
            #expect(try await Self.add("mara", Self.token(), to: staff) == nil)
            #expect(try await Self.add("Mara", Self.token(), to: staff)?.id != mara.id)
            #expect(try await staff.list().map(\.name) == ["mara", "Mara"])
            #expect(try await staff.names(of: [mara.id, 99]) == [mara.id: "mara"])
            for name in ["", " mara", "mara ", "ma\nra", String(repeating: "m", count: 65)] {
                #expect(StaffRequest(name: name, role: .viewer) == nil)
            }
        }
    }

    @Test func `a link sets a password once, and for a day`() async throws {
        try await Self.open { store, staff in
            let (first, second) = (Self.token(), Self.token())
            _ = try await Self.add("mara", first, to: staff)
            #expect(try await staff.member(link: second) == nil)
            #expect(try await staff.member(link: first)?.hasPassword == false)
            #expect(try await staff.set(password: "hash", link: first) != nil)
            #expect(try await staff.set(password: "other", link: first) == nil)
            #expect(try await staff.member(link: first) == nil)
            _ = try await staff.reset("mara", link: second, by: .commandLine, reason: nil)
            store.clock.now = store.clock.now + (Staff.linkLife - 1)
            #expect(try await staff.member(link: second) != nil)
            store.clock.now = store.clock.now + 1
            #expect(try await staff.member(link: second) == nil)
            #expect(try await staff.set(password: "late", link: second) == nil)
        }
    }

    @Test func `a reset takes the password and the sessions, and enables who was disabled`() async throws {
        try await Self.open { store, staff in
            let token = Self.token()
            let mara = try await Self.session(of: "mara", token, at: staff).member
            _ = try await staff.disable("mara", by: .commandLine, reason: nil)
            #expect(try await staff.session(token, idleMinutes: 60) == nil)
            #expect(try await Self.again(mara, Self.token(), at: staff) == nil)
            let link = Self.token()
            let reset = try await staff.reset("mara", link: link, by: .commandLine, reason: "back")
            #expect(reset?.disabledAt == nil && reset?.hasPassword == false)
            #expect(try await Self.again(mara, Self.token(), at: staff) == nil)
            #expect(try await staff.set(password: "hash", link: link) != nil)
            #expect(try await Self.again(mara, Self.token(), at: staff) != nil)
            #expect(try await staff.disable("nobody", by: .commandLine, reason: nil) == nil)
            #expect(try await staff.reset("nobody", link: Self.token(), by: .commandLine, reason: nil) == nil)
        }
    }

    @Test func `a session ends by idleness and by age, whichever comes first, and has the role of now`() async throws {
        try await Self.open { store, staff in
            let token = Self.token()
            _ = try await Self.session(of: "mara", token, hours: 2, at: staff)
            let start = store.clock.now
            store.clock.now = start + (Self.hour - 1)
            #expect(try await staff.session(token, idleMinutes: 60)?.member.role == .owner)
            try await store.schema.rows("UPDATE staff SET role = 'viewer'")
            store.clock.now = start + (2 * Self.hour - 2)
            #expect(try await staff.session(token, idleMinutes: 60)?.member.role == .viewer)
            #expect(try await staff.session(Self.token(), idleMinutes: 60) == nil)
            store.clock.now = start + 2 * Self.hour
            #expect(try await staff.session(token, idleMinutes: 60) == nil)

            let idle = Self.token()
            _ = try await Self.session(of: "idle", idle, at: staff)
            store.clock.now = store.clock.now + Self.hour
            #expect(try await staff.session(idle, idleMinutes: 60) == nil)
            #expect(try await staff.session(idle, idleMinutes: 61) != nil)
        }
    }

    @Test func `a changed password ends the other sessions, and nobody else's`() async throws {
        try await Self.open { store, staff in
            let (here, there, foreign) = (Self.token(), Self.token(), Self.token())
            let own = try await Self.session(of: "mara", here, at: staff)
            _ = try await Self.again(own.member, there, at: staff)
            _ = try await Self.session(of: "eve", foreign, at: staff)
            #expect(try await staff.change(password: "new", from: "wrong", of: own, number: 1) == false)
            #expect(try await staff.session(there, idleMinutes: 60) != nil)
            #expect(try await staff.change(password: "new", from: "hash", of: own, number: 1))
            #expect(try await staff.change(password: "new", from: "hash", of: own, number: 1))
            #expect(try await staff.session(here, idleMinutes: 60) != nil)
            #expect(try await staff.session(there, idleMinutes: 60) == nil)
            #expect(try await staff.session(foreign, idleMinutes: 60) != nil)
            let set = try await store.schema.number(
                "SELECT COUNT(*) FROM audit_entries WHERE action = 'staff.set_password'")
            #expect(set == 3)
        }
    }

    @Test func `people end their own sessions, one or all others, and nobody else's`() async throws {
        try await Self.open { _, staff in
            let tokens = (0..<3).map { _ in Self.token() }
            let own = try await Self.session(of: "mara", tokens[0], at: staff)
            let second = try #require(try await Self.again(own.member, tokens[1], at: staff))
            _ = try await Self.again(own.member, tokens[2], at: staff)
            let foreign = try await Self.session(of: "eve", Self.token(), at: staff)
            #expect(try await staff.sessions(beside: own, idleMinutes: 60).count == 3)
            try await staff.end(foreign.id, beside: own)
            #expect(try await staff.sessions(beside: foreign, idleMinutes: 60) == [foreign])
            try await staff.end(second.id, beside: own)
            try await staff.end(second.id, beside: own)
            #expect(try await staff.session(tokens[1], idleMinutes: 60) == nil)
            #expect(try await staff.sessions(beside: own, idleMinutes: 60).count == 2)
            try await staff.end(nil, beside: own)
            #expect(try await staff.sessions(beside: own, idleMinutes: 60).map(\.id) == [own.id])
            #expect(try await staff.sessions(beside: foreign, idleMinutes: 60) == [foreign])
        }
    }

    @Test func `a network is known to an account for 90 days after a sign-in from it, whatever is swept`() async throws
    {
        try await Self.open { store, staff in
            let day = Instant.millisecondsPerDay
            _ = try await Self.session(of: "mara", Self.token(), at: staff)
            let (home, elsewhere): ([UInt8], [UInt8]) = ([1, 2, 3, 4], [1, 2, 4, 4])
            /// Throws when the database is away.
            func expectKnown(_ isKnown: Bool, _ name: String, from network: [UInt8]) async throws {
                let approach = try await staff.approach(name, from: network)
                #expect(approach.isKnown == isKnown, "\(name) \(network)")
            }
            for _ in 0..<40 {
                _ = try await staff.begin("mara", from: home)
                store.clock.now = store.clock.now + Self.hour
            }
            try await expectKnown(true, "mara", from: home)
            try await expectKnown(false, "mara", from: elsewhere)
            try await expectKnown(false, "eve", from: home)
            #expect(try await store.schema.number("SELECT COUNT(*) FROM staff_tries WHERE succeeded = 0") == 40)
            store.clock.now = store.clock.now + 87 * day
            _ = try await staff.sweep()
            #expect(try await store.schema.number("SELECT COUNT(*) FROM staff_tries") == 1)
            try await expectKnown(true, "mara", from: home)
            store.clock.now = store.clock.now + 2 * day
            try await expectKnown(false, "mara", from: home)
            _ = try await staff.sweep()
            #expect(try await store.schema.number("SELECT COUNT(*) FROM staff_tries") == 0)
        }
    }

    @Test func `preferences are the person's own`() async throws {
        try await Self.open { _, staff in
            let token = Self.token()
            let own = try await Self.session(of: "mara", token, at: staff)
            let other = try await Self.session(of: "eve", Self.token(), at: staff)
            let wanted = StaffPreferences(language: "zh", zone: "Asia/Shanghai", theme: .dark)
            try await staff.set(wanted, of: own)
            try await staff.set(wanted, of: own)
            let member = try #require(try await staff.session(token, idleMinutes: 60)?.member)
            #expect(member.language == "zh" && member.zone == "Asia/Shanghai" && member.theme == .dark)
            #expect(try await staff.member(named: "eve") == other.member)
        }
    }
}
