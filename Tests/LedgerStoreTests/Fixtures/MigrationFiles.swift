import FoundationEssentials
import LedgerStore
import Support

/// The migrations as they stand in the repository.
enum MigrationFiles {
    /// All of them, in order. Throws when they cannot be read.
    static func all() throws -> [Migration] {
        let directory = TestRun.repository + "/migrations"
        return try FileManager.default.contentsOfDirectory(atPath: directory).sorted().compactMap { name in
            let bytes = FileManager.default.contents(atPath: directory + "/" + name) ?? Data()
            return Migration(fileName: name, sql: String(decoding: bytes, as: UTF8.self))
        }
    }
}
