import Entitlements
import LedgerStore
import MariaDB
import Support
import Synchronization
import Testing

/// Previews read without a lock, beside whatever is written.
@Suite struct LedgerPreviewTests {
    private let anna = Sample.user("anna")
    private let ben = Sample.user("ben")

    private func fold(_ store: TestStore) -> FoldContext {
        FoldContext(catalogue: store.instances[0].versionCache.snapshot, settings: Sample.settings)
    }

    /// The act of giving everything that `giver` has to `receiver`.
    private func transfer(
        from giver: UserID, to receiver: UserID
    ) -> LedgerAct<[PurchaseKey], OperatorRefusal> {
        LedgerAct(for: [receiver], everythingOf: giver, audit: nil) { history, context in
            OperatorAct(on: giver, note: Sample.note).transfer(.all, to: receiver, given: history, in: context)
        }
    }

    @Test func `while purchases move to and fro, every preview is of one state of the ledgers`() async throws {
        try await TestStore.open(instances: 2) { store in
            for id in ["1", "2", "3"] { try await store.attach(Sample.pass(id), to: anna) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for round in 0..<30 {
                        let (giver, receiver) = round % 2 == 0 ? (anna, ben) : (ben, anna)
                        _ = try await store.transfer(.all, from: giver, to: receiver, via: 1)
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<30 {
                            let preview = try await store.ledger.preview(transfer(from: anna, to: ben))
                            let going = (try? preview.answer.get())?.count ?? 0  // refused: anna has nothing
                            let before = preview.before.timeline(of: anna, in: fold(store))
                            let held = before.purchases.count(where: \.isHeld)
                            #expect(going == held && (going == 0 || going == 3))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await LedgerCheck(pool: store.pool).faults() == [])
        }
    }

    @Test func `a preview ends with its caller, and so does a request that no batch has taken`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: anna)
            let decided = Atomic(0)
            let act = transfer(from: anna, to: ben).deciding { decision, _ in
                decided.add(1, ordering: .relaxed)
                withUnsafeCurrentTask { $0?.cancel() }
                return decision
            }
            let preview = Task { try await store.ledger.preview(act).wouldChange }
            let failure = await #expect(throws: ServiceFailure.self) { try await preview.value }
            #expect(failure?.cause == .cancelled && decided.load(ordering: .relaxed) == 1)

            let request = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await store.transfer(.all, from: anna, to: ben)
            }
            let dropped = await #expect(throws: ServiceFailure.self) { try await request.value }
            #expect(dropped?.cause == .cancelled)
            #expect(try await store.ledger(of: ben).entries.isEmpty)
            #expect(try await store.transfer(.all, from: anna, to: ben) == .success([Sample.pass("1").key]))
        }
    }

    @Test func `an act on a heavy ledger is previewed like any other`() async throws {
        try await TestStore.open { store in
            try await store.attach(Sample.pass("1"), to: anna)
            _ = try await store.ledger.record(for: [anna]) { (history: PurchaseHistory) in
                let drafts = (0..<5_000).map { LedgerEntry.Draft(.consumptionConsent($0 % 2 == 0), at: history.now) }
                return Decision<Void, Never>(drafts: [anna: drafts], answer: .success(()))
            }
            let preview = try await store.ledger.preview(transfer(from: anna, to: ben))
            #expect(try preview.answer.get() == [Sample.pass("1").key])
            #expect(preview.after.timeline(of: ben, in: fold(store)).purchases.count == 1)
            #expect(try await store.ledger(of: ben).entries.isEmpty)
        }
    }
}
