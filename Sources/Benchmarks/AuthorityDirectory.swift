import Foundation
import StoreSimulator

/// A development authority that is stored in a directory. The first use creates it, with its root in DER and PEM for
/// servers to trust.
struct AuthorityDirectory {
    /// The days before and after now in which certificates are valid.
    private static let validDays: Int64 = 3_650

    private let directory: URL

    init(path: String) {
        directory = URL(fileURLWithPath: path, isDirectory: true)
    }

    /// The authority, which is the same at every call.
    ///
    /// - Throws: An error of the file system, or of the files' contents.
    func authority() throws -> DevelopmentAuthority {
        if let kept = try kept() { return try DevelopmentAuthority(kept) }
        let period = Self.period(around: Wall.milliseconds)
        let authority = try DevelopmentAuthority(validFrom: period.lowerBound, validUntil: period.upperBound)
        try keep(authority)
        return authority
    }

    /// The validity of certificates that are made at `now`, in milliseconds since the epoch.
    static func period(around now: Int64) -> ClosedRange<Int64> {
        now - validDays * Sale.millisecondsPerDay...now + validDays * Sale.millisecondsPerDay
    }

    private func kept() throws -> DevelopmentAuthority.Kept? {
        guard FileManager.default.fileExists(atPath: file("leaf.key").path) else { return nil }
        return DevelopmentAuthority.Kept(
            root: try read("root.pem"), intermediate: try read("intermediate.pem"), leaf: try read("leaf.pem"),
            rootKey: try read("root.key"), intermediateKey: try read("intermediate.key"),
            leafKey: try read("leaf.key"))
    }

    private func keep(_ authority: DevelopmentAuthority) throws {
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let kept = try authority.kept
        try write(kept.root, "root.pem")
        try write(kept.intermediate, "intermediate.pem")
        try write(kept.leaf, "leaf.pem")
        try write(kept.rootKey, "root.key")
        try write(kept.intermediateKey, "intermediate.key")
        try Data(try authority.root.der).write(to: file("root.der"))
        try write(kept.leafKey, "leaf.key")
    }

    private func file(_ name: String) -> URL { directory.appendingPathComponent(name) }

    private func read(_ name: String) throws -> String { try String(contentsOf: file(name), encoding: .utf8) }

    private func write(_ text: String, _ name: String) throws {
        try text.write(to: file(name), atomically: true, encoding: .utf8)
    }
}
