import AppStore
import EntitlementAPI
import Foundation
import LedgerStore

/// Reads the files that a server needs besides its settings.
struct ServerFiles: Sendable {
    /// A file that is missing, or does not have the content that it should.
    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    let lookup: FileLookup

    /// Reads the trusted root certificates of Apple's signed texts. Throws `Unusable` for a file that cannot be read or
    /// is no root certificate, and in production for a development root.
    func trustRoots(_ settings: Settings) throws -> TrustRoots {
        try roots(in: settings.apple.trustRoots, "apple.trust_roots", settings)
    }

    /// Reads the trusted root certificates of Apple's receipts. Throws like ``trustRoots(_:)``.
    func receiptRoots(_ settings: Settings) throws -> TrustRoots {
        try roots(in: settings.apple.receiptRoots, "apple.receipt_roots", settings)
    }

    private func roots(in names: [String], _ key: String, _ settings: Settings) throws -> TrustRoots {
        var files: [[UInt8]] = []
        for name in names {
            let file = try bytes(name, key + ":")
            do throws(TrustRoots.Defect) {
                _ = try TrustRoots(files: [file])
            } catch {
                throw Unusable(description: "\(key): \(name) \(Self.sentence(error))")
            }
            files.append(file)
        }
        let roots: TrustRoots
        do throws(TrustRoots.Defect) {
            roots = try TrustRoots(files: files)
        } catch {
            throw Unusable(description: "\(key) \(Self.sentence(error))")
        }
        if settings.environment == .production, let root = roots.developmentRoots.first {
            throw Unusable(
                description: "\(key): \(root.subject) is a development root; production refuses it: remove it")
        }
        return roots
    }

    private static func sentence(_ defect: TrustRoots.Defect) -> String {
        switch defect {
        case .none: "names no certificate: name Apple's root, as config/gatepass.yaml does"
        case .unreadable: "is not a certificate in DER or PEM"
        case .notARoot(let subject): "holds \(subject), which is no root: name the one that signed itself and others"
        }
    }

    /// Makes sure that the authority of `database.tls_ca` can be read, if it is set. Throws `Unusable`.
    func requireAuthority(_ settings: Settings) throws {
        if let file = settings.database.tlsCA { _ = try text(file, "database.tls_ca:") }
    }

    /// Reads the migrations in the directory `explicit`, or in the default one. Throws `Unusable` if the directory is
    /// missing.
    func migrations(_ explicit: String?) throws -> [Migration] {
        guard let found = lookup.find(explicit, default: FileLookup.defaultMigrations) else {
            throw Unusable(
                description: "there is no directory \(FileLookup.defaultMigrations) in \(lookup.workingDirectory) or "
                    + "beside the binary: name one with --migrations, or start where it is")
        }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: found.path)
        } catch {
            throw Unusable(description: "\(found.name) cannot be read: name a directory with --migrations")
        }
        return try names.compactMap { name in
            Migration(fileName: name, sql: try text(found.path + "/" + name, "the migration"))
        }
    }

    /// The content of `openapi.yaml`, which the server serves; empty if the file is not deployed.
    func openAPI() -> [UInt8] {
        guard let found = lookup.find("openapi.yaml"), let text = try? lookup.read(found.path) else { return [] }
        return Array(text.utf8)
    }

    /// The text of a file that a setting names. Throws `Unusable` if it cannot be read.
    func text(_ path: String, _ what: String) throws -> String {
        guard let text = String(bytes: try bytes(path, what), encoding: .utf8) else {
            throw Unusable(description: "\(what) \(path) is not UTF-8")
        }
        return text
    }

    private func bytes(_ path: String, _ what: String) throws -> [UInt8] {
        guard let found = lookup.find(path) else {
            let place = path.hasPrefix("/") ? "" : " here, around --config or beside the binary"
            throw Unusable(description: "\(what) \(path) cannot be read: there is no such file\(place)")
        }
        guard let data = FileManager.default.contents(atPath: found.path) else {
            throw Unusable(description: "\(what) \(path) cannot be read: let the server's user read the file")
        }
        return Array(data)
    }
}
