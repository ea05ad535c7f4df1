import Entitlements
import Testing

/// Who has a seat (`semantics.md` §8), from its vectors on.
@Suite struct DeviceVectorTests {
    /// The states of the devices at instants, by id.
    private func check(
        _ story: Story, _ expected: KeyValuePairs<Instant, [String]>, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (instant, lines) in expected {
            #expect(story.devices(at: instant).lines == lines, "\(instant.text)", sourceLocation: sourceLocation)
        }
    }

    @Test func `D1: P pinned, seen 01-01, and Q, seen 01-20; allowed 2, then 0, then 1: P is active`() {
        let story = Story().has(seats: 2, from: "01-01", until: "02-01").has(seats: 1, from: "02-10", until: "03-01")
            .registers("P", at: "01-01", isPinned: true).registers("Q", at: "01-20")
        check(
            story,
            [
                "01-20": ["P active", "Q active"],
                "02-01 23:59:59.999": ["P active", "Q active"],
                "02-02": ["P suspended by limit", "Q suspended by limit"],
                "02-10": ["P active", "Q suspended by limit"],
                "02-28": ["P active", "Q suspended by limit"],
                "03-01 23:59:59.999": ["P active", "Q suspended by limit"],
                "03-02": ["P suspended by limit", "Q suspended by limit"],
            ])
        #expect(story.devices(at: "02-10").seats == DeviceSeats(allowed: 1, active: 1, suspended: 1))
    }

    @Test func `D2: 3 active; allowed 5, 1 at T, 5 at T+23 h, 1 at T+25 h; two are suspended at T+49 h`() {
        let story = Story().has(seats: 1, from: "01-01", until: "03-01").has(seats: 5, from: "01-01", until: "02-01")
            .has(seats: 5, from: "02-01 23:00", until: "02-02 01:00")
            .registers("A", at: "01-01").registers("B", at: "01-02").registers("C", at: "01-03")
        check(
            story,
            [
                "02-01": ["A active", "B active", "C active"],
                "02-02": ["A active", "B active", "C active"],
                "02-03 00:59:59.999": ["A active", "B active", "C active"],
                "02-03 01:00": ["A suspended by limit", "B suspended by limit", "C active"],
            ])
        #expect(story.devices(at: "02-01 12:00").seats == DeviceSeats(allowed: 1, active: 3, suspended: 0))
        #expect(story.devices(at: "02-01 23:00").seats == DeviceSeats(allowed: 5, active: 3, suspended: 0))
        #expect(story.devices(at: "02-03 01:00").seats == DeviceSeats(allowed: 1, active: 1, suspended: 2))
    }

    @Test func `without grace, a seat is lost at once`() {
        let story = Story().has(seats: 1, from: "01-01", until: "02-01").registers("A", at: "01-01")
        let settings = EntitlementSettings(sandboxAccess: .everyone, renewalLeewayHours: 0, seatGraceHours: 0)
        let timeline = story.timeline(in: .plans, settings: settings)
        #expect(timeline.devices(at: "01-31 23:59:59.999").lines == ["A active"])
        #expect(timeline.devices(at: "02-01").lines == ["A suspended by limit"])
    }

    @Test func `of devices that were seen at once the earliest registered keeps its seat, whatever they are called`() {
        let story = Story().has(seats: 2, from: "01-01", until: "02-01").has(seats: 1, from: "02-01", until: "03-01")
            .registers("b", at: "01-02").registers("a", at: "01-03").sees("a", at: "01-10").sees("b", at: "01-10")
        check(story, ["02-01": ["a active", "b active"], "02-02": ["a suspended by limit", "b active"]])
    }

    @Test func `the order is pinned, then most recently seen, then id`() {
        let story = Story().has(seats: 4, from: "01-01", until: "02-01").has(seats: 3, from: "02-01", until: "02-10")
            .has(seats: 2, from: "02-10", until: "02-20").has(seats: 1, from: "02-20", until: "03-01")
            .registers("a", at: "01-01", isPinned: true).registers("d", at: "01-02").registers("b", at: "01-03")
            .registers("c", at: "01-03").sees("d", at: "01-10")
        check(
            story,
            [
                "02-02": ["a active", "b active", "c suspended by limit", "d active"],
                "02-11": ["a active", "b suspended by limit", "c suspended by limit", "d active"],
                "02-21": [
                    "a active", "b suspended by limit", "c suspended by limit", "d suspended by limit",
                ],
            ])
    }

    @Test func `who is suspended by the limit returns in the same order, and nobody else does`() {
        let story = Story().has(seats: 4, from: "01-01", until: "02-01").has(seats: 2, from: "02-10", until: "03-01")
            .has(seats: 3, from: "02-15", until: "03-01")
            .registers("a", at: "01-01").registers("b", at: "01-02").registers("c", at: "01-03")
            .registers("d", at: "01-04").does(.suspended, to: "d", at: "01-05")
        check(
            story,
            [
                "02-05": [
                    "a suspended by limit", "b suspended by limit", "c suspended by limit", "d suspended by user",
                ],
                "02-10": ["a suspended by limit", "b active", "c active", "d suspended by user"],
                "02-15": ["a active", "b active", "c active", "d suspended by user"],
            ])
    }

    @Test func `a seat that the user frees goes to the first who waits`() {
        let story = Story().has(seats: 3, from: "01-01", until: "02-01").has(seats: 1, from: "02-01", until: "03-01")
            .registers("a", at: "01-01").registers("b", at: "01-02").registers("c", at: "01-03")
        check(
            story.does(.suspended, to: "c", at: "02-05").does(.removed, to: "b", at: "02-06"),
            [
                "02-04": ["a suspended by limit", "b suspended by limit", "c active"],
                "02-05": ["a suspended by limit", "b active", "c suspended by user"],
                "02-06": ["a active", "c suspended by user"],
            ])
    }

    @Test func `pinning or seeing a waiting device takes nobody's seat`() {
        let story = Story().has(seats: 3, from: "01-01", until: "02-01").has(seats: 1, from: "02-01", until: "03-01")
            .has(seats: 2, from: "02-20", until: "03-01")
            .registers("a", at: "01-01").registers("b", at: "01-02").registers("c", at: "01-03")
            .does(.registered(name: nil, isPinned: true), to: "a", at: "02-05").sees("b", at: "02-06")
        check(
            story,
            [
                "02-06": ["a suspended by limit", "b suspended by limit", "c active"],
                "02-20": ["a active", "b suspended by limit", "c active"],
            ])
    }

    @Test func `seats that come back in the instant in which a grace ends take nobody's`() {
        let story = Story().has(seats: 3, from: "01-01", until: "01-15").has(seats: 2, from: "01-15", until: "02-01")
            .has(seats: 1, from: "02-01", until: "02-02").has(seats: 2, from: "02-02", until: "03-01")
            .registers("c", at: "01-01").registers("b", at: "01-02").registers("a", at: "01-03")
            .does(.registered(name: nil, isPinned: true), to: "c", at: "01-20")
        let lines = ["a active", "b active", "c suspended by limit"]
        check(story, ["01-20": lines, "02-01 23:59:59.999": lines, "02-02": lines])
    }

    @Test func `a device that the limit suspended and the user suspends too does not return`() {
        let story = Story().has(seats: 1, from: "01-01", until: "02-01").has(seats: 1, from: "02-10", until: "03-01")
            .registers("a", at: "01-01").does(.suspended, to: "a", at: "02-05")
        check(story, ["02-04": ["a suspended by limit"], "02-10": ["a suspended by user"]])
    }

    @Test func `what happened to a device holds, whatever evidence comes later`() {
        let story = Story().buys("p", at: "01-01").registers("a", at: "01-05").registers("b", at: "01-05 12:00")
        check(story, ["01-10": ["a active", "b active"]])
        let refunded = story.refunds("p", at: "01-05", recordedAt: "01-08")
        check(
            refunded,
            [
                "01-05 23:59:59.999": ["a active", "b active"],
                "01-06": ["a suspended by limit", "b suspended by limit"],
            ])
        #expect(refunded.devices(at: "01-07", knownAt: "01-07").lines == ["a active", "b active"])
    }

    @Test func `an act about an unknown device changes nothing`() {
        var story = Story().has(seats: 1, from: "01-01", until: "02-01")
        for deed in [DeviceAct.Deed.suspended, .reactivated, .seen, .removed] {
            story = story.does(deed, to: "x", at: "01-02")
        }
        #expect(story.devices(at: "01-03").seats == DeviceSeats(allowed: 1, active: 0, suspended: 0))
    }

    @Test func `acts hold in the order of recording, whatever their instants say`() {
        let story = Story().has(seats: 1, from: "01-01", until: "02-01").registers("a", at: "01-10")
            .does(.suspended, to: "a", at: "01-05")
        check(story, ["01-09": [], "01-10": ["a suspended by user"]])
        let between = Story().registers("a", at: "01-10").registers("b", at: "01-12").sees("a", at: "01-11")
        #expect(between.devices(at: "01-12")["a"]?.lastSeenAt == "01-12")
    }

    @Test func `the newest device comes first`() {
        let story = Story().registers("b", at: "01-01").registers("a", at: "01-01").registers("c", at: "01-02")
        #expect(story.devices(at: "01-03").onRecord.map(\.id) == ["c", "a", "b"])
    }

    @Test(arguments: [
        ("a", true), ("~!/%", true), (String(repeating: "x", count: 128), true), ("", false), ("a b", false),
        ("a\n", false), ("é", false), ("\u{7F}", false), (String(repeating: "x", count: 129), false),
        (".", false), ("..", false), ("...", true),
    ])
    func `a device id is up to 128 visible ASCII characters`(text: String, isOne: Bool) {
        #expect((DeviceID(text) != nil) == isOne)
    }

    @Test(arguments: [
        ("Anna's phone", true), ("电话 📱", true), (String(repeating: "é", count: 100), true), ("", false),
        (String(repeating: "x", count: 101), false), ("e" + String(repeating: "\u{301}", count: 100), false),
    ])
    func `a device name is up to 100 code points`(text: String, isOne: Bool) {
        #expect((DeviceName(text) != nil) == isOne)
    }
}
