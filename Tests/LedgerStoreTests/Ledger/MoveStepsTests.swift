import Entitlements
import Testing

@testable import LedgerStore

/// The cost of moving everything grows with what there is, and not with its square (`threats.md` T40).
@Suite struct MoveStepsTests {
    private static let anna = Sample.user("anna")
    private static let ben = Sample.user("ben")

    private static func person(_ ledger: UserLedger, _ pseudonym: UInt64) -> Workspace.Person {
        let head = UserRow.Head(
            pseudonym: pseudonym, length: ledger.entries.count,
            lastRecordedAt: ledger.entries.last?.recordedAt ?? .distantPast, hash: UserRow.Head.start)
        return Workspace.Person(head: head, loaded: ledger, purchases: [:], ledger: ledger)
    }

    @Test(arguments: [100, 1_000, 10_000])
    func `moving everything reads each entry once`(_ count: Int) throws {
        let (anna, ben) = (Self.anna, Self.ben)
        let states = (0..<count).map { Sample.pass("\($0)") }
        let theirs = UserLedger(user: ben)
        var ledger = UserLedger(user: anna)
        for state in states {
            let drafts: [LedgerEntry.Draft] = [
                .init(.stated(.purchase(state)), at: state.signedAt), .init(.bound(state.key), at: state.signedAt),
            ]
            ledger.append(drafts, at: state.signedAt)
        }
        var workspace = Workspace(
            now: Sample.epoch + Instant.millisecondsPerDay,
            people: [anna: Self.person(ledger, 1), ben: Self.person(theirs, 2)],
            holdings: Dictionary(
                uniqueKeysWithValues: states.map { ($0.key, Workspace.Holding(id: 1, owner: anna)) }),
            tokenHolders: [:], names: KnownNames(), salt: { [UInt8](repeating: 0, count: 16) })
        let first = CatalogueVersions.Version(
            number: 1, effectiveAt: Sample.epoch, catalogue: try Sample.read("first"))
        let context = FoldContext(catalogue: CatalogueVersions(first: first), settings: Sample.settings)
        let history = workspace.history(for: [anna, ben], [], nil, isEvidenceNew: false)
        let decision = OperatorAct(on: anna, note: Sample.note).transfer(.all, to: ben, given: history, in: context)
        #expect(decision.moves.count == count)
        workspace.apply(decision)
        #expect(workspace.steps == 2 * count)
        #expect(!workspace.isMisused)
        #expect(workspace.people[anna]?.appended.count == count)
        #expect(workspace.people[ben]?.ledger.entries.count == 2 * count)
        #expect(workspace.holdings.values.allSatisfy { $0.owner == ben && $0.formerHolders == [anna] })
    }
}
