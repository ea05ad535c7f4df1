import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// A COMMIT whose answer never comes: whatever became of it, the purchase is there exactly once in the end
/// (`threats.md` F2, F3).
@Suite(.serialized) struct AmbiguousCommitTests {
    @Test func `a commit that is cut off is made good, once`() async throws {
        try await TestStore.openBehindProxy { store, proxy in
            let rounds = TestRun.rounds(30, soak: 3_000)
            var met = 0
            for round in 0..<rounds {
                let fault: PacketProxy.Fault = round % 2 == 0 ? .cutBeforeCommit : .cutAfterCommit
                proxy.inject(fault, count: 1 + round % 2)
                let items = (0..<3).map { Sample.pass("\(round)-\($0)") }
                let verdicts = try await store.restore(items, to: Sample.user(round % 5))
                #expect(verdicts.count == 3)
                met += 1 + round % 2
                #expect(proxy.faultsMet == met)
            }
            try await expectOnce(store, purchases: 3 * rounds)
        }
    }

    @Test(arguments: [PacketProxy.Fault.cutBeforeCommit, .cutAfterCommit])
    func `a commit that stays open is a fault, and the client's repeat finds or makes it, once`(
        fault: PacketProxy.Fault
    ) async throws {
        try await TestStore.openBehindProxy { store, proxy in
            // The header that all texts share is kept from the first on.
            try await store.attach(Sample.pass("before"), to: Sample.user("anna"))
            for round in 0..<5 {
                let pass = Sample.pass("\(round)")
                proxy.inject(fault, count: 100)
                let error = await #expect(throws: ServiceFailure.self) {
                    try await store.attach(pass, to: Sample.user("anna"))
                }
                #expect(error?.isCommitUnknown == true)
                proxy.inject(fault, count: 0)
                let expected: Claim = fault == .cutBeforeCommit ? .unowned : .alreadyTheirs
                #expect(try await store.attach(pass, to: Sample.user("anna")) == .success(expected))
            }
            #expect(proxy.faultsMet >= 5)
            try await expectOnce(store, purchases: 6)
        }
    }

    @Test func `a transfer whose commit is cut off is not refused by its own repetition`() async throws {
        try await TestStore.openBehindProxy { store, proxy in
            for round in 0..<TestRun.rounds(12, soak: 1_000) {
                let (pass, giver, receiver) = (
                    Sample.pass("\(round)", day: 30), Sample.user(0), Sample.user(1 + round % 3)
                )
                try await store.attach(pass, to: giver)
                proxy.inject(round % 2 == 0 ? .cutBeforeCommit : .cutAfterCommit, count: 1)
                let answer = try await store.transfer(
                    .one(PurchaseName(pass.key.externalID)), from: giver, to: receiver)
                #expect(answer == .success([pass.key]))
            }
            #expect(proxy.faultsMet == TestRun.rounds(12, soak: 1_000))
            let handovers = "SELECT COUNT(*) FROM ledger_entries WHERE kind IN ('gave_away', 'received')"
            #expect(try await store.schema.number(handovers) == 2 * TestRun.rounds(12, soak: 1_000))
            #expect(try await LedgerChain.faults(in: store.schema) == [])
        }
    }

    @Test func `an operator's act whose commit is cut off is made good, and audited once`() async throws {
        try await TestStore.openBehindProxy { store, proxy in
            let operators = TestOperators(store)
            let request = try #require(APIKeyRequest(name: "till", scopes: [.read]))
            let rounds = TestRun.rounds(10, soak: 500)
            for round in 0..<rounds {
                let fault: PacketProxy.Fault = round % 2 == 0 ? .cutBeforeCommit : .cutAfterCommit
                let asked = ["make", "end"].map {
                    IdempotentRequest(
                        of: 1, key: Sample.labels.label(.idempotencyKey, "\($0) \(round)"),
                        digest: Label("asked"), about: .nobody)
                }
                proxy.inject(fault, count: 1)
                guard case .claimed(let making) = try await operators.idempotency.claim(asked[0]) else {
                    throw Sample.UnknownText()
                }
                proxy.inject(fault, count: 1)
                let (key, secret) = try await operators.keys.create(request, by: .commandLine, reason: nil) { _, _ in
                    RememberedAnswer(claim: making, status: 201, body: [])
                }
                #expect(try await operators.keys.key(for: secret)?.id == key.id)
                guard case .claimed(let ending) = try await operators.idempotency.claim(asked[1]) else {
                    throw Sample.UnknownText()
                }
                proxy.inject(fault, count: 1)
                _ = try await operators.keys.revoke(key.id, by: .commandLine, reason: nil)
                proxy.inject(fault, count: 1)
                try await operators.idempotency.finish(RememberedAnswer(claim: ending, status: 200, body: []))
                for request in asked {
                    guard case .answered = try await operators.idempotency.claim(request) else {
                        throw Sample.UnknownText()
                    }
                }
            }
            #expect(proxy.faultsMet == 4 * rounds)
            #expect(try await store.schema.counts()["api_keys"] == rounds)
            #expect(try await AuditTrail.head(from: store.pool).length == UInt64(2 * rounds))
            #expect(try await operators.defects() == [])
        }
    }

    private func expectOnce(_ store: TestStore, purchases: Int) async throws {
        let counts = try await store.schema.counts()
        #expect(counts["purchases"] == purchases)
        #expect(counts["apple_iap_transactions"] == purchases)
        #expect(counts["signed_texts"] == purchases)
        #expect(counts["ledger_entries"] == 2 * purchases)
        #expect(counts["subscriptions"] == purchases)
        #expect(try await LedgerChain.faults(in: store.schema) == [])
    }
}
