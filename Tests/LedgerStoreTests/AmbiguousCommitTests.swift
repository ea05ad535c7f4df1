import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A COMMIT whose answer never comes: whatever became of it, the purchase is there exactly once in the end
/// (`reliability.md` §0.1, F2, F3).
@Suite(.serialized) struct AmbiguousCommitTests {
    private static func server() throws -> PrivateMariaDB {
        var options = PrivateMariaDB.Options()
        options.listensOnLoopback = true
        options.skipsGrants = true
        return try PrivateMariaDB.start(options)
    }

    @Test func `a commit that is cut off is made good, once`() async throws {
        let server = try Self.server()
        defer { server.kill() }
        let proxy = try PacketProxy(to: server.port)
        defer { proxy.stop() }
        try await Shop.open(server: server, through: proxy.port) { shop in
            let rounds = TestRun.rounds(30, soak: 3_000)
            var met = 0
            for round in 0..<rounds {
                let fault: PacketProxy.Fault = round % 2 == 0 ? .cutBeforeCommit : .cutAfterCommit
                proxy.inject(fault, count: 1 + round % 2)
                let items = (0..<3).map { Books.pass("\(round)-\($0)") }
                let verdicts = try await shop.restore(items, to: Books.user(round % 5))
                #expect(verdicts.count == 3)
                met += 1 + round % 2
                #expect(proxy.faultsMet == met)
            }
            try await expectOnce(shop, purchases: 3 * rounds)
        }
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit])
    func `a commit that stays open is a fault, and the client's repeat finds or makes it, once`(
        fault: PacketProxy.Fault
    ) async throws {
        let server = try Self.server()
        defer { server.kill() }
        let proxy = try PacketProxy(to: server.port)
        defer { proxy.stop() }
        try await Shop.open(server: server, through: proxy.port) { shop in
            for round in 0..<5 {
                let pass = Books.pass("\(round)")
                proxy.inject(fault, count: 100)
                let error = await #expect(throws: DatabaseError.self) {
                    try await shop.attach(pass, to: Books.user("anna"))
                }
                #expect(error?.isCommitUnknown == true)
                proxy.inject(fault, count: 0)
                let expected: Claim = fault == .cutBeforeCommit ? .unowned : .alreadyTheirs
                #expect(try await shop.attach(pass, to: Books.user("anna")) == .success(expected))
            }
            #expect(proxy.faultsMet >= 5)
            try await expectOnce(shop, purchases: 5)
        }
    }

    private func expectOnce(_ shop: Shop, purchases: Int) async throws {
        let counts = try await shop.schema.counts()
        #expect(counts["purchases"] == purchases)
        #expect(counts["apple_iap_transactions"] == purchases)
        #expect(counts["signed_texts"] == purchases)
        #expect(counts["ledger_entries"] == 2 * purchases)
        #expect(counts["subscriptions"] == purchases)
        #expect(try await LedgerChain.faults(in: shop.schema) == [])
    }
}
