import FoundationEssentials
package import LedgerStore

/// The migrations as they stand in the repository.
package enum MigrationFiles {
    /// All of them, in order. Throws when they cannot be read.
    package static func all() throws -> [Migration] {
        let directory = TestRun.repository + "/migrations"
        return try FileManager.default.contentsOfDirectory(atPath: directory).sorted().compactMap { name in
            let bytes = FileManager.default.contents(atPath: directory + "/" + name) ?? Data()
            return Migration(fileName: name, sql: String(decoding: bytes, as: UTF8.self))
        }
    }
}
