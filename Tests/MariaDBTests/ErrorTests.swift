@testable import MariaDB
import Testing

/// What the numbers mean, and what becomes of a unit that failed.
@Suite struct ErrorTests {
    @Test(arguments: [
        (1213, false, true, false), (1205, false, true, false), (1020, false, true, false),
        (1047, false, false, true), (1062, false, false, false), (1064, false, false, false),
        (1969, false, false, false), (1317, false, false, false), (4025, false, false, false),
        (1290, false, false, true), (1792, false, false, true), (1836, false, false, true),
        (2002, true, false, false), (2003, true, false, false), (2006, true, false, false),
        (2013, true, false, false), (2014, true, false, false), (2026, true, false, false),
        (2055, true, false, false), (1040, true, false, false), (1053, true, false, false),
        (1927, true, false, false),
    ])
    func `a number is a refusal or a lost connection, retryable or not, a wrong node or not`(
        code: Int, isLost: Bool, isRetryable: Bool, isWrongNode: Bool
    ) {
        let error = DatabaseError(code: code, sqlState: "HY000", statement: "s")
        #expect(error.isConnectionLost == isLost)
        #expect(error.isRetryable == isRetryable)
        #expect(error.isWrongNode == isWrongNode)
        #expect(error.isDuplicateKey == (code == 1062))
        #expect(error.atCommit().isCommitUnknown == (isLost || code == 1047))
        #expect(error.description.contains("\(code)"))
    }

    @Test func `a server that lacks a variable of the session is told by its place and version, and no other`() {
        let place = ConnectionSettings.Endpoint.tcp(host: "db", port: 3306)
        let settings = ConnectionSettings(endpoints: [place], database: "gatepass", user: "gatepass")
        let lacking = DatabaseError(code: 1193, sqlState: "HY000", statement: "session.setVariables")
        let told = Session.refusal(lacking, of: "8.0.36", settings, at: place)
        #expect(told.isConnectionLost && told.code == 1193 && !told.isAway)
        let words = "the server has version 8.0.36, and is no MariaDB of 10.3 or newer"
        #expect(told.description == "gatepass at db:3306, as gatepass: \(words) (1193)")
        let other = DatabaseError(code: 1231, sqlState: "42000", statement: "session.setVariables")
        #expect(Session.refusal(other, of: "8.0.36", settings, at: place) == other)
    }

    @Test func `what is away, busy, full or in doubt passes, and what is refused or wrong does not`() {
        for code in [1213, 1205, 1021, 1047, 1114, 1290, 1836, 1053, 2006, 2013] {
            #expect(DatabaseError(code: code, sqlState: "HY000", statement: "s").isPassing, "\(code)")
        }
        for code in [1062, 1064, 1146, 1406, 1644, 4025] {
            #expect(!DatabaseError(code: code, sqlState: "HY000", statement: "s").isPassing, "\(code)")
        }
        let passing: [DatabaseError.Cause] = [
            .commitUnknown, .transactionOver, .givenUp, .unavailable, .overloaded, .shuttingDown, .cancelled,
        ]
        for cause in passing { #expect(DatabaseError(cause, statement: "s").isPassing, "\(cause)") }
        let lasting: [DatabaseError.Cause] = [.misuse, .parameters, .unexpectedCell(column: 0)]
        for cause in lasting { #expect(!DatabaseError(cause, statement: "s").isPassing, "\(cause)") }
    }

    @Test func `an error during commit leaves the outcome open, a deadlock at COMMIT does not`() {
        #expect(DatabaseError(code: 1180, sqlState: "HY000", statement: "commit").atCommit().isCommitUnknown)
        #expect(DatabaseError(code: 1213, sqlState: "40001", statement: "commit").atCommit().isRetryable)
        for code in [1290, 1047] {
            #expect(DatabaseError(code: code, sqlState: "HY000", statement: "commit").atCommit().isWrongNode)
        }
    }

    @Test(arguments: [
        DatabaseError(code: 1213, sqlState: "40001", statement: "s"), DatabaseError(.transactionOver, statement: "s"),
    ])
    func `a unit that met a conflict runs again twenty times, with pauses from 5 ms that double up to 400`(
        conflict: DatabaseError
    ) {
        var policy = RetryPolicy(retries: 20)
        #expect(policy.pause(after: conflict, jitter: 0) == .milliseconds(5))
        for longest in [100, 200, 400, 400] {
            #expect(policy.pause(after: conflict, jitter: 1) == .milliseconds(longest))
        }
        for _ in 0..<15 { #expect(policy.pause(after: conflict, jitter: 0.5) != nil) }
        #expect(policy.pause(after: conflict, jitter: 0.5) == nil)
        #expect(policy.verdict(on: conflict) == conflict)
    }

    @Test func `a unit that waited for a lock in vain runs again twice, because each wait takes seconds`() {
        var policy = RetryPolicy(retries: 20)
        let timeout = DatabaseError(code: 1205, sqlState: "HY000", statement: "s")
        for _ in 0..<2 { #expect(policy.pause(after: timeout, jitter: 0) == .milliseconds(5)) }
        #expect(policy.pause(after: timeout, jitter: 0) == nil)
    }

    @Test func `a unit on a node without its cluster runs again twice`() {
        var policy = RetryPolicy(retries: 20)
        let refused = DatabaseError(code: 1047, sqlState: "08S01", statement: "begin")
        for _ in 0..<2 { #expect(policy.pause(after: refused, jitter: 1) == .milliseconds(50)) }
        #expect(policy.pause(after: refused, jitter: 1) == nil)
        #expect(policy.verdict(on: refused) == refused)
    }

    @Test func `after an unanswered COMMIT only success and a duplicate key are definite`() {
        var policy = RetryPolicy(retries: 5)
        let unknown = DatabaseError(code: 2013, sqlState: "HY000", statement: "commit").atCommit()
        #expect(policy.pause(after: unknown, jitter: 0) != nil)
        let duplicate = DatabaseError(code: 1062, sqlState: "23000", statement: "s")
        #expect(policy.pause(after: duplicate, jitter: 0) == nil)
        #expect(policy.verdict(on: duplicate) == duplicate)
        for cause in [DatabaseError.Cause.unavailable, .overloaded, .shuttingDown, .cancelled] {
            #expect(policy.pause(after: DatabaseError(cause, statement: "lease"), jitter: 0) == nil)
            #expect(policy.verdict(on: DatabaseError(cause, statement: "lease")).isCommitUnknown)
        }
        #expect(policy.pause(after: unknown, jitter: 0) != nil)
        #expect(policy.pause(after: unknown, jitter: 0) == nil)
    }

    @Test func `settings show no password`() {
        let settings = ConnectionSettings(endpoints: [.socket(path: "/s")], user: "u", password: "secret")
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), dumped] { #expect(!text.contains("secret")) }
    }
}
