import ArgumentParser
import MariaDB
import Testing

@testable import Gatepass
@testable import LedgerStore

/// When a start gives up on a database that refuses it, and what is said then.
@Suite struct RepeatedRefusalTests {
    @Test func `a start ends after thirty seconds of one refusal alone`() {
        for (name, met, ends) in [
            ("a wrong password", [(1045, 0), (1045, 29), (1045, 30)], true),
            ("not yet", [(1045, 0), (1045, 29)], false),
            ("no such database", [(1049, 5), (1049, 35)], true),
            ("no rights in it", [(1044, 0), (1044, 31)], true),
            ("no password", [(1698, 0), (1698, 31)], true),
            ("a user of another machine", [(1130, 0), (1130, 31)], true),
            ("no MariaDB", [(1193, 0), (1193, 31)], true),
            ("nobody listens", [(2002, 0), (2002, 3_600)], false),
            ("too many connections", [(1040, 0), (1040, 3_600)], false),
            ("no connection in time", [(0, 0), (0, 3_600)], false),
            ("another refusal in between", [(1045, 0), (1049, 20), (1045, 31)], false),
            ("another one, for long", [(1045, 0), (1049, 20), (1049, 50)], true),
            ("away in between", [(1045, 0), (2002, 20), (1045, 31), (1045, 60)], false),
            ("away in between, then for long", [(1045, 0), (2002, 20), (1045, 31), (1045, 61)], true),
        ] as [(String, [(Int, Int)], Bool)] {
            var refusals = RepeatedRefusal()
            var last = false
            for (code, second) in met { last = refusals.lasts(code, at: .seconds(second)) }
            #expect(last == ends, "\(name)")
        }
    }

    @Test func `such an end has a status of its own, and any other refusal of a start has not`() {
        #expect(throws: ExitCode(78)) {
            try Startup.reporting { throw DatabaseOpening.Refusal.refused(because: "x") }
        }
        for other in [DatabaseOpening.Refusal.noCatalogue, .schemaTooOld(0), .schemaTooNew(100)] {
            #expect(throws: ExitCode.failure) { try Startup.reporting { throw other } }
        }
    }

    @Test func `a failure says what to do where its number tells`() {
        let words = "gatepass at db:3306, as gatepass: Access denied for user 'gatepass'@'10.0.0.3' (1045)"
        let denied = ServiceFailure(DatabaseError(.unavailable, code: 1045, statement: "lease", words: words))
        #expect(denied.sentence == "no connection to \(words); see database.user and database.password")
        let another = ServiceFailure(DatabaseError(.unavailable, code: 1193, statement: "lease", words: "x (1193)"))
        #expect(
            another.sentence
                == "no connection to x (1193); take MariaDB 10.11.17 or newer, as docs/deploy/existing-database.md says"
        )
        let missing = ServiceFailure(DatabaseError(.refused, code: 1146, sqlState: "42S02", statement: "read x"))
        #expect(
            missing.sentence
                == "refused at read x: 1146 (42S02); run `gatepass migrate`: a table of this release is missing")
        let other = ServiceFailure(DatabaseError(.overloaded, statement: "lease"))
        #expect(other.sentence == "overloaded at lease" && other.remedy == nil)
    }
}
