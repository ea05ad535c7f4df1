import Entitlements
import Testing

/// A timeline that goes along with its ledger says what a fold of all entries says.
@Suite struct KeptFoldWalkTests {
    @Test(arguments: UInt64(0)..<40)
    func `a ledger that grows entry by entry folds on to what all its entries fold to`(_ seed: UInt64) {
        let walk = WholeWalk.history(seed: seed, of: 60)
        for user in walk.users + walk.erased {
            var growing = UserLedger(user: user)
            var entries: [LedgerEntry] = []
            for entry in walk.world.ledger(of: user).entries {
                growing.keepFold(given: walk.catalogue, settings: walk.settings)
                growing.append(contentsOf: [entry])
                entries.append(entry)
                let (kept, whole) = (
                    walk.timeline(of: growing), walk.timeline(of: UserLedger(user: user, entries: entries))
                )
                for quarter in stride(from: 0, through: walk.now + 40, by: 7) {
                    let at = QuarterByQuarter.instant(quarter)
                    #expect(kept.told(at: at) == whole.told(at: at), "\(seed) \(user) \(entries.count)")
                    #expect(kept.nextChange(after: at) == whole.nextChange(after: at))
                    #expect(kept.lotBalances(at: at) == whole.lotBalances(at: at))
                }
            }
        }
    }

    @Test func `acts with credits and devices are added, and what may change anything else is folded anew`() throws {
        var added: Set<String> = []
        var anew: Set<String> = []
        for seed in UInt64(0)..<60 {
            let walk = WholeWalk.history(seed: seed, of: 60)
            for user in walk.users {
                var growing = UserLedger(user: user)
                for entry in walk.world.ledger(of: user).entries {
                    growing.keepFold(given: walk.catalogue, settings: walk.settings)
                    growing.append(contentsOf: [entry])
                    if growing.isFolded { added.insert(entry.fact.kindText) } else { anew.insert(entry.fact.kindText) }
                }
            }
        }
        #expect(
            added.isSuperset(of: ["credit", "device"])
                && added.isSubset(of: ["credit", "device", "consumption_consent"]))
        #expect(anew.isSuperset(of: ["state", "bound", "granted", "withdrawn"]))
        #expect(anew.isDisjoint(with: ["credit", "device"]))
    }

    @Test func `what is released at the instant of a refund repays in the order of drawing`() {
        var kept = Story().credits("c", at: "01-01").credits("d", at: "01-02").credits("e", at: "01-03")
            .reserves("r", 100, at: "01-04").spends(100, at: "01-05").refunds("d", at: "01-10")
        kept.ledger.keepFold(given: Story.catalogue, settings: .everyone)
        kept = kept.releases("r", at: "01-10")
        #expect(kept.ledger.isFolded)
        var anew = kept
        anew.ledger = UserLedger(user: .alice, entries: kept.ledger.entries)
        for story in [kept, anew] { #expect(story.lots(at: "01-10") == ["e 100"]) }
    }

    @Test func `a sighting by a clock that is behind holds from the last act, kept or folded anew`() {
        var kept = Story().has(seats: 2, from: "01-01", until: "12-01")
            .registers("phone", at: "01-01").registers("tablet", at: "01-10")
        kept.ledger.keepFold(given: .plans, settings: .withoutLeeway)
        kept = kept.sees("phone", at: "01-05")
        #expect(kept.ledger.isFolded)
        var anew = kept
        anew.ledger = UserLedger(user: .alice, entries: kept.ledger.entries)
        for story in [kept, anew] { #expect(story.devices(at: "02-01")["phone"]?.lastSeenAt == "01-10") }
    }

    @Test func `a user without entries is known once a consent is added`() {
        var kept = Story()
        kept.ledger.keepFold(given: .example, settings: .everyone)
        #expect(!kept.status(at: "01-01").isKnown)
        kept = kept.told(.consumptionConsent(true), at: "01-01")
        #expect(kept.ledger.isFolded && kept.status(at: "01-01").isKnown)
    }

    @Test func `another catalogue or other settings fold anew`() {
        var ledger = UserLedger(user: .alice)
        ledger.keepFold(given: .example, settings: .everyone)
        #expect(ledger.hasFold(given: .example, settings: .everyone))
        #expect(!ledger.hasFold(given: .example, settings: EntitlementSettings(sandboxAccess: .nobody)))
        let later = CatalogueVersions(
            first: .init(number: 2, effectiveAt: .distantPast, catalogue: CatalogueVersions.example.latest.catalogue))
        #expect(!ledger.hasFold(given: later, settings: .everyone))
    }

    @Test(arguments: [0, 1, 255, 256, 257, 1_000])
    func `a list keeps its elements and its copies their own`(_ count: Int) {
        var list = ChunkedList(0..<count)
        let copy = list
        list.append(count)
        #expect(Array(list) == Array(0...count) && Array(copy) == Array(0..<count))
        #expect(list.count == count + 1 && list[count] == count && list.last == count)
        #expect(list != copy && ChunkedList(0..<count) == copy)
        #expect(Array(list.reversed()) == Array((0...count).reversed()))
    }
}
