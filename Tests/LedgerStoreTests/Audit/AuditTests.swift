import Entitlements
import LedgerStore
import MariaDB
import Support
import Testing

/// Whatever is done to the trail behind the product's back is found (`threats.md` T32).
@Suite(.serialized) struct AuditTests {
    private static func filled(_ count: Int = 8, _ body: @Sendable (TestStore, TestOperators) async throws -> Void)
        async throws
    {
        try await TestStore.open { store in
            let operators = TestOperators(store)
            for number in 0..<count { try await operators.note("reason \(number)", at: store.clock.now) }
            #expect(try await operators.defects() == [])
            try await body(store, operators)
        }
    }

    @Test func `an edit of any column is found, and of the words`() async throws {
        let edits = [
            "at = at + 1", "actor = 'somebody'", "action = 'test.other'", "subject = 7", "other_subject = 7",
            "details_digest = REVERSE(hash)", "previous_hash = hash", "hash = previous_hash",
        ]
        let rewordings = ["details = '{}'", "reason = 'better'", "reason = NULL", "salt = REVERSE(salt)"]
        try await Self.filled { store, operators in
            for table in ["entries", "notes"] {
                try await store.schema.rows("CREATE TABLE kept_\(table) AS SELECT * FROM audit_\(table)")
            }
            for edit in edits {
                try await store.schema.rows("UPDATE audit_entries SET \(edit) WHERE id = 4")
                #expect(try await operators.defects().contains(.edited(id: 4)), "\(edit)")
                try await store.schema.rows("REPLACE INTO audit_entries SELECT * FROM kept_entries")
            }
            for rewording in rewordings {
                try await store.schema.rows("UPDATE audit_notes SET \(rewording) WHERE entry_id = 4")
                #expect(try await operators.defects() == [.noteEdited(id: 4)], "\(rewording)")
                try await store.schema.rows("REPLACE INTO audit_notes SELECT * FROM kept_notes")
            }
            #expect(try await operators.defects() == [])
        }
    }

    @Test func `an entry that was taken out is found, the first and those in the middle`() async throws {
        for id in [1, 4] {
            try await Self.filled { store, operators in
                try await store.schema.rows("DELETE FROM audit_entries WHERE id = \(id)")
                #expect(try await operators.defects() == [.missing(id: UInt64(id))])
            }
        }
    }

    @Test func `a gap that was closed by moving the rest up is found`() async throws {
        try await Self.filled { store, operators in
            try await store.schema.rows("DELETE FROM audit_entries WHERE id = 4")
            try await store.schema.rows("UPDATE audit_entries SET id = id - 1 WHERE id > 4 ORDER BY id")
            #expect(try await operators.defects().contains(.unlinked(id: 4)))
        }
    }

    @Test func `two entries that changed places are found`() async throws {
        try await Self.filled { store, operators in
            for (from, to) in [(3, 99), (4, 3), (99, 4)] {
                try await store.schema.rows("UPDATE audit_entries SET id = \(to) WHERE id = \(from)")
            }
            #expect(try await operators.defects().contains(.unlinked(id: 3)))
        }
    }

    @Test func `a trail that was cut off is found by its head`() async throws {
        try await Self.filled { store, operators in
            try await store.schema.rows("DELETE FROM audit_entries WHERE id > 6")
            #expect(try await operators.defects() == [.headMismatch(last: 6, head: 8)])
            try await store.schema.rows("DELETE FROM audit_entries")
            #expect(try await operators.defects() == [.headMismatch(last: 0, head: 8)])
        }
    }

    @Test func `a forged entry behind the head is found`() async throws {
        try await Self.filled { store, operators in
            try await store.schema.rows(
                """
                INSERT INTO audit_entries
                SELECT 9, at, actor, action, subject, other_subject, details_digest, hash, hash
                FROM audit_entries WHERE id = 8
                """)
            #expect(try await operators.defects() == [.headMismatch(last: 9, head: 8)])
        }
    }

    @Test func `a trail that was cut off with its head is found by the exported head`() async throws {
        try await Self.filled { store, operators in
            let export = try await AuditTrail.head(from: store.pool).description
            #expect(try await operators.defects(against: export) == [])
            try await operators.note("later", at: store.clock.now)
            #expect(try await operators.defects(against: export) == [])
            try await store.schema.rows("DELETE FROM audit_entries WHERE id > 6")
            try await store.schema.rows("DELETE FROM audit_notes WHERE entry_id > 6")
            try await store.schema.rows(
                "UPDATE audit_heads h JOIN audit_entries e ON e.id = 6 SET h.length = 6, h.hash = e.hash")
            #expect(try await operators.defects() == [])
            #expect(try await operators.defects(against: export) == [.exportMismatch(length: 8)])
            // Filled up again with other acts, it has the length but not the hash.
            for _ in 0..<3 { try await operators.note("instead", at: store.clock.now) }
            #expect(try await operators.defects() == [])
            #expect(try await operators.defects(against: export) == [.exportMismatch(length: 8)])
        }
    }

    @Test(arguments: ["", "8", "8:", "8:ab", "x:" + String(repeating: "0", count: 64), "1:2:3"])
    func `what is no exported head is not taken for one`(text: String) {
        #expect(ExportedAuditHead(text) == nil)
    }

    @Test func `the words about a person are erased and the chain still verifies`() async throws {
        try await Self.filled(3) { store, operators in
            try await store.attach(Sample.pass("1"), to: Sample.user("anna"))
            let pseudonym = UInt64(try await store.schema.number("SELECT pseudonym FROM users"))
            try await operators.note("she asked for it", at: store.clock.now, subject: pseudonym)
            let before = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 1).rows[0]
            #expect(before.user == Sample.user("anna") && before.reason == "she asked for it")
            #expect(before.details == #"{"a":"1","b":"\"two\""}"#)
            try await store.schema.rows(
                "DELETE n FROM audit_entries e JOIN audit_notes n ON n.entry_id = e.id WHERE e.subject = \(pseudonym)")
            let after = try await OperatorReader(pool: store.pool).auditEntries(before: nil, limit: 1).rows[0]
            #expect(after.details == nil && after.reason == nil && after.hash == before.hash)
            #expect(try await operators.defects() == [.noteMissing(id: 4)])
            try await operators.note("erased", at: store.clock.now, subject: pseudonym, action: .erase)
            let outcome = try await AuditTrailCheck.run(from: store.pool)
            #expect(outcome.defects == [] && outcome.erased == 1 && outcome.head.length == 5)
        }
    }

    @Test func `words that no erasure took are missed, whomever they were about`() async throws {
        try await Self.filled(2) { store, operators in
            try await operators.note("about somebody", at: store.clock.now, subject: 7)
            try await operators.note("between two", at: store.clock.now, subject: 7, action: .transfer)
            try await store.schema.rows("DELETE FROM audit_notes")
            #expect(try await operators.defects() == (1...4).map { .noteMissing(id: $0) })
            try await operators.note("somebody else was erased", at: store.clock.now, subject: 8, action: .erase)
            #expect(try await operators.defects() == (1...4).map { .noteMissing(id: $0) })
            try await operators.note("and they too", at: store.clock.now, subject: 7, action: .erase)
            #expect(try await operators.defects() == (1...2).map { .noteMissing(id: $0) })
        }
    }

    @Test func `acts at once stand one after the other, and an act that fails leaves nothing`() async throws {
        try await TestStore.open(instances: 2) { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let operators = TestOperators(store, instance: number % 2)
                        try await TestOperators.patiently { try await operators.note("\(number)", at: store.clock.now) }
                    }
                }
                try await group.waitForAll()
            }
            let operators = TestOperators(store)
            await #expect(throws: DatabaseError.self) {
                try await operators.pool.transaction { (session) throws(DatabaseError) in
                    let record = AuditRecord(
                        at: store.clock.now, actor: .commandLine, action: AuditAction("test.act"), subject: nil,
                        details: [:], reason: nil)
                    try operators.audit.append(record, in: session)
                    throw DatabaseError(.misuse, statement: "test")
                }
            }
            #expect(try await operators.defects() == [])
            #expect(try await AuditTrail.head(from: store.pool).length == 40)
            // A clock that goes back does not put the trail out of order.
            store.clock.now = Sample.epoch
            try await operators.note(nil, at: store.clock.now)
            #expect(try await operators.defects() == [])
        }
    }

    @Test func `pages go back to the first entry without a gap`() async throws {
        try await Self.filled(7) { store, operators in
            var ids: [UInt64] = []
            while ids.isEmpty || ids.last != 1 {
                ids += try await OperatorReader(pool: store.pool).auditEntries(before: ids.last, limit: 3).rows.map(
                    \.id)
            }
            #expect(ids == [7, 6, 5, 4, 3, 2, 1])
        }
    }
}
