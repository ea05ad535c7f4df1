import AppStore
import Entitlements
import FoundationEssentials
import HTTPTypes
import Support
import Testing

@testable import EntitlementAPI

/// `api.md` has a row for each code, reason and verdict, and it says what the one function says.
struct RetryTests {
    /// The cells of the rows of tables that begin with a name in backticks.
    private static func rows() throws -> [(name: String, cells: [String])] {
        let page = String(
            decoding: try Data(contentsOf: URL(filePath: TestRun.repository + "/api.md")), as: UTF8.self)
        return page.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| `") else { return nil }
            let cells = line.split(separator: "|").map { $0.trimmed }
            return (cells[0].replacing("`", with: ""), Array(cells.dropFirst()))
        }
    }

    /// The words in backticks.
    private static func words(of cell: String?) -> [String] {
        let pieces = (cell ?? "").split(separator: "`", omittingEmptySubsequences: false)
        return pieces.indices.filter { $0 % 2 == 1 }.map { String(pieces[$0]) }
    }

    /// Each once, in their order.
    private static func words(_ retries: Retry...) -> [String] {
        retries.map(\.rawValue).reduce(into: []) { words, word in
            if !words.contains(word) { words.append(word) }
        }
    }

    @Test func `the page gives each code its retry, without a proof and with one`() throws {
        let rows = try Self.rows()
        for code in ProblemCode.allCases {
            let row = rows.first { $0.name == code.rawValue && $0.cells.first == String(code.status.code) }
            let cell = row?.cells.dropFirst().first
            guard code != .evidenceInvalid else {
                #expect(cell == "by `reason`")
                continue
            }
            let expected = Self.words(Retry(after: code, proof: .absent), Retry(after: code, proof: .sent))
            #expect(Self.words(of: cell) == expected, "\(code)")
        }
    }

    @Test func `the page gives each reason its retry, and a date ahead of the clock its own`() throws {
        let rows = try Self.rows()
        for reason in EvidenceError.Reason.allCases where reason != .wrongApp && reason != .wrongEnvironment {
            let retries = [1, nil].map { (ahead: Int64?) in
                Retry(after: .evidenceInvalid, EvidenceError(reason, "", millisecondsAhead: ahead))
            }
            let row = rows.first { $0.name == reason.rawValue && $0.cells.count == 2 }
            #expect(Self.words(of: row?.cells.first) == Self.words(retries[0], retries[1]), "\(reason)")
            #expect((retries[0] == .later) == (reason == .signedDateOutOfRange))
        }
    }

    @Test func `the page gives each verdict its finish, and explains each retry`() throws {
        let rows = try Self.rows()
        for outcome in AttachOutcome.allCases {
            let row = rows.first { $0.name == outcome.rawValue && $0.cells.count == 2 }
            #expect(row?.cells.first == "`\(outcome.finishes)`", "\(outcome)")
        }
        for retry in Retry.allCases {
            #expect(rows.contains { $0.name == retry.rawValue && $0.cells.count == 1 }, "\(retry)")
        }
    }

    @Test func `whatever may pass is later, and an endpoint that takes no proof asks for none`() {
        for code in ProblemCode.allCases {
            if code.status.kind == .serverError { #expect(Retry(after: code) == .later, "\(code)") }
            #expect(Retry(after: code) != .withProof, "\(code)")
        }
    }

    @Test func `a date ahead is waited for in whole seconds, an hour at most`() {
        for (milliseconds, seconds) in [
            (1, 1), (1_000, 1), (1_001, 2), (3_300_000, 3_300), (3_600_001, 3_600), (.max / 2, 3_600),
        ] as [(Int64, Int64)] {
            #expect(Retry.seconds(untilInRange: milliseconds) == seconds)
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
