import ArgumentParser
import LedgerStore

/// The options of a command that lists rows, the newest first.
struct ListOptions: ParsableArguments {
    @Option(help: "How many at most, up to 1000.")
    var limit = 100

    @Flag(help: "Print JSON, one a line.")
    var json = false

    /// Throws `ValidationError` for a limit out of range.
    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("a limit is from 1 to 1000") }
    }

    /// Prints a row: `json`, or the `fields`, with tabs between them.
    func print(_ fields: [String], json bytes: [UInt8]) {
        let line = fields.map(VisibleText.escaped).joined(separator: "\t")
        Swift.print(json ? String(decoding: bytes, as: UTF8.self) : line)
    }

    /// The first rows of a list, from as many pages as that takes. Throws the error of `page`.
    func rows<Row>(of page: (_ before: UInt64?, _ limit: Int) async throws -> ListPage<Row>) async throws -> [Row] {
        var rows: [Row] = []
        var place: UInt64?
        repeat {
            let next = try await page(place, limit - rows.count)
            rows += next.rows
            place = next.next
        } while place != nil && rows.count < limit
        return rows
    }
}
