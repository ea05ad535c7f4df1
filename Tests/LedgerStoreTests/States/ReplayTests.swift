import Crypto
import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A text that was verified before is found by its digest, with whose it is (`semantics.md` §5, *Literal replay*).
@Suite(.serialized) struct ReplayTests {
    private let anna = Sample.user("anna")

    private static func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    private static func find(_ texts: [String], _ store: TestStore) async throws -> [String: Replay] {
        let found = try await store.instances[0].reader.replays(of: Set(texts.map(digest)))
        return texts.reduce(into: [:]) { $0[$1] = found[digest($1)] }
    }

    @Test func `a text is found byte for byte, with its state and its owner`() async throws {
        try await TestStore.open { store in
            let token = try await store.instances[0].tokens.token(of: anna)
            let (mine, nobodys) = (Sample.pass("1", account: "apple 1"), Sample.pass("2", token: token))
            let repeated = Sample.pass("1", account: "apple 1", signedDay: 9)
            try await store.attach(mine, to: anna, text: "h.mine")
            try await store.attach(mine, to: anna, text: "h.another spelling")
            try await store.attach(repeated, to: anna, text: "h.repeated")
            try await store.attach(nobodys, to: Sample.user("ben"), text: "h.nobodys")
            let found = try await Self.find(
                ["h.mine", "h.another spelling", "h.repeated", "h.nobodys", "h.unknown"], store)
            #expect(found.keys.sorted() == ["h.mine", "h.nobodys", "h.repeated"])
            #expect(found["h.mine"] == Replay(of: mine, owner: anna))
            #expect(found["h.repeated"] == Replay(of: repeated, owner: anna))
            #expect(found["h.nobodys"] == Replay(of: nobodys, owner: nil))
            let shown = found.mapValues { replay in [mine, repeated, nobodys].map(replay.shows) }
            #expect(shown["h.mine"] == [true, false, false] && shown["h.repeated"] == [false, true, false])
            #expect(try await Self.find([], store).isEmpty)
        }
    }

    @Test func `it is found though its text is gone, and of an erased person too`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: anna, text: "h.1")
            try await store.schema.rows("DELETE FROM signed_texts")
            #expect(try await Self.find(["h.1"], store)["h.1"]?.owner == anna)
            let erased = try await store.erase(anna)
            #expect(try await Self.find(["h.1"], store)["h.1"]?.owner == erased)
            try await store.attach(Sample.pass("2"), to: anna, text: "h.2")
            try await store.transfer(.all, from: anna, to: Sample.user("ben"))
            #expect(try await Self.find(["h.2"], store)["h.2"]?.owner == Sample.user("ben"))
        }
    }

    @Test func `many who ask at once get their own`() async throws {
        try await TestStore.open { store in
            for number in 0..<20 {
                try await store.attach(Sample.pass("\(number)"), to: Sample.user(number), text: "h.\(number)")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for racer in 0..<200 {
                    group.addTask {
                        let texts = ["h.\(racer % 20)", "h.\((racer + 7) % 20)", "h.none \(racer)"]
                        let found = try await Self.find(texts, store)
                        let owners = [Sample.user(racer % 20), Sample.user((racer + 7) % 20)]
                        #expect(found.mapValues(\.owner) == [texts[0]: owners[0], texts[1]: owners[1]])
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
