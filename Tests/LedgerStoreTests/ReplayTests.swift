import Crypto
import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A text that was verified before is found by its digest, with whose it is (`semantics.md` §5, *literal replay*).
@Suite(.serialized) struct ReplayTests {
    private let anna = Books.user("anna")

    private static func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    private static func find(_ texts: [String], _ shop: Shop) async throws -> [String: Replay] {
        let found = try await shop.instances[0].reader.replays(of: Set(texts.map(digest)))
        return texts.reduce(into: [:]) { $0[$1] = found[digest($1)] }
    }

    @Test func `a text is found byte for byte, with its state and its owner`() async throws {
        try await Shop.open { shop in
            let token = try await shop.instances[0].tokens.token(of: anna)
            let (mine, nobodys) = (Books.pass("1", account: "apple 1"), Books.pass("2", token: token))
            let repeated = Books.pass("1", account: "apple 1", signedDay: 9)
            try await shop.attach(mine, to: anna, text: "h.mine")
            try await shop.attach(mine, to: anna, text: "h.another spelling")
            try await shop.attach(repeated, to: anna, text: "h.repeated")
            try await shop.attach(nobodys, to: Books.user("ben"), text: "h.nobodys")
            let found = try await Self.find(
                ["h.mine", "h.another spelling", "h.repeated", "h.nobodys", "h.unknown"], shop)
            #expect(found.keys.sorted() == ["h.mine", "h.nobodys", "h.repeated"])
            #expect(found["h.mine"] == Replay(of: mine, owner: anna, isInDebt: false))
            #expect(found["h.repeated"] == Replay(of: repeated, owner: anna, isInDebt: false))
            #expect(found["h.nobodys"] == Replay(of: nobodys, owner: nil, isInDebt: false))
            let shown = found.mapValues { replay in [mine, repeated, nobodys].map(replay.shows) }
            #expect(shown["h.mine"] == [true, false, false] && shown["h.repeated"] == [false, true, false])
            #expect(try await Self.find([], shop).isEmpty)
        }
    }

    @Test func `it is found though its text is gone, and of an erased person too`() async throws {
        try await Shop.open { shop in
            try await shop.attach(Books.pass("1"), to: anna, text: "h.1")
            try await shop.schema.rows("DELETE FROM signed_texts")
            #expect(try await Self.find(["h.1"], shop)["h.1"]?.owner == anna)
            let erased = try await shop.erase(anna)
            #expect(try await Self.find(["h.1"], shop)["h.1"]?.owner == erased)
            try await shop.attach(Books.pass("2"), to: anna, text: "h.2")
            try await shop.transfer(.all, from: anna, to: Books.user("ben"))
            #expect(try await Self.find(["h.2"], shop)["h.2"]?.owner == Books.user("ben"))
        }
    }

    @Test func `it says whether an erased person owes something of the account`() async throws {
        try await Shop.open { shop in
            try await Belongings.fill(shop, anna)
            let cleo = Books.user("cleo")
            try await shop.attach(Belongings.another("30003"), to: cleo, text: "h.same")
            try await shop.attach(Belongings.another("30004", of: "70002"), to: cleo, text: "h.other")
            try await shop.attach(Belongings.another("30005", of: nil), to: cleo, text: "h.none")
            let texts = ["h.same", "h.other", "h.none"]
            try await shop.attach(Belongings.refundOfCoins, to: anna)
            #expect(try await Self.find(texts, shop).filter(\.value.isInDebt).isEmpty, "the living owe by themselves")
            try await shop.erase(anna)
            #expect(try await Self.find(texts, shop).filter(\.value.isInDebt).map(\.key) == ["h.same"])
            try await shop.attach(Belongings.another("30003"), to: cleo)
            #expect(try await Self.find(texts, shop).filter(\.value.isInDebt).isEmpty, "it was taken over")
        }
    }

    @Test func `many who ask at once get their own`() async throws {
        try await Shop.open { shop in
            for number in 0..<20 {
                try await shop.attach(Books.pass("\(number)"), to: Books.user(number), text: "h.\(number)")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for racer in 0..<200 {
                    group.addTask {
                        let texts = ["h.\(racer % 20)", "h.\((racer + 7) % 20)", "h.none \(racer)"]
                        let found = try await Self.find(texts, shop)
                        let owners = [Books.user(racer % 20), Books.user((racer + 7) % 20)]
                        #expect(found.mapValues(\.owner) == [texts[0]: owners[0], texts[1]: owners[1]])
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
