import Entitlements
import LedgerStore
import Testing

/// Readers who know a ledger already.
@Suite struct LedgerReaderTests {
    @Test func `who knows the newest entry is told nothing until one follows, or the user is another person`()
        async throws
    {
        try await TestStore.open(instances: 2) { store in
            let (anna, reader) = (Sample.user("anna"), store.instances[1].reader)
            let none = try #require(try await reader.ledger(of: anna, unless: nil))
            #expect(none.ledger.entries.isEmpty && none.head == nil)
            try await store.attach(Sample.pass("1"), to: anna)
            let first = try #require(try await reader.ledger(of: anna, unless: nil))
            let same = try await reader.ledger(of: anna, unless: first.head)
            #expect(same == nil)
            try await store.attach(Sample.pass("2", day: 30), to: anna)
            let grown = try #require(try await reader.ledger(of: anna, unless: first.head))
            #expect(grown.ledger.entries.count > first.ledger.entries.count && grown.head != first.head)
            try await store.erase(anna)
            let erased = try #require(try await reader.ledger(of: anna, unless: grown.head))
            #expect(erased.ledger.entries.isEmpty && erased.head == nil)
            try await store.attach(Sample.pass("3", day: 40), to: anna)
            let another = try #require(try await reader.ledger(of: anna, unless: grown.head))
            #expect(another.ledger.entries.count == first.ledger.entries.count && another.head != first.head)
        }
    }
}
