import AppStore
import Entitlements
import Foundation
import StoreSimulator

/// A development installation: a directory with a signing authority, a login secret and a private database of its own.
///
/// Nothing in it is shared with another installation, and production refuses its root.
struct Installation {
    static let defaultDirectory = ".gatepass"
    /// Certificates of an installation hold from 2021-01-01, so that old purchases can be told, to thirty years from
    /// now.
    private static let validity = (from: Int64(1_609_459_200_000), after: Int64(10_957 * 86_400_000))
    private static let secretBytes = 48

    /// The directory, readable by its owner alone.
    let directory: URL

    /// An installation at `path`, relative to the working directory; nothing is made yet.
    init(path: String) {
        directory = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
    }

    /// Why an installation cannot be worked with.
    enum Failure: Error, CustomStringConvertible {
        case inUse(directory: String)
        case notWritable(directory: String, reason: String)
        case missing(directory: String)
        case production

        var description: String {
            switch self {
            case .inUse(let directory):
                "another `gatepass dev` runs in \(directory): stop it, or name another directory with --data-dir"
            case .notWritable(let directory, let reason):
                "the directory \(directory) cannot be used (\(reason)): name another with --data-dir"
            case .missing(let directory):
                "there is no installation in \(directory): start `gatepass dev` there, or name one with --data-dir"
            case .production: "`gatepass dev` is for development, and environment is production: use `gatepass serve`"
            }
        }
    }

    /// Makes the directory and keeps it for this process until it ends, however it ends. Throws `Failure`.
    func claim() throws {
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure.notWritable(directory: directory.path, reason: "it cannot be made")
        }
        // Never closed: the lock goes when the process does. Not inherited: a server left behind does not hold it.
        let lock = open(directory.appendingPathComponent("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw Failure.notWritable(directory: directory.path, reason: String(cString: strerror(errno)))
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw Failure.inUse(directory: directory.path) }
    }

    /// Throws `Failure` when nothing was ever made here.
    func requireMade() throws {
        guard FileManager.default.fileExists(atPath: directory.path) else {
            throw Failure.missing(directory: directory.path)
        }
    }

    /// The authority that signs simulated purchases, made at the first call. Throws what the file system refuses.
    func authority() throws -> DevelopmentAuthority {
        let folder = directory.appendingPathComponent("authority")
        if let kept = try kept(in: folder) { return try DevelopmentAuthority(kept) }
        let now = Surroundings.now().milliseconds
        let authority = try DevelopmentAuthority(
            validFrom: Self.validity.from, validUntil: now + Self.validity.after)
        try keep(authority.kept, in: folder)
        return authority
    }

    /// The root's certificate, as `apple.trust_roots` names it.
    var rootFile: String { directory.appendingPathComponent("authority/root.pem").path }

    /// The secret that development tokens are signed with, made at the first call. Throws what the file system refuses.
    func secret() throws -> String { try secret(in: "hs256-secret") }

    private func secret(in name: String, beginning: String = "") throws -> String {
        let file = directory.appendingPathComponent(name)
        if let secret = try? String(contentsOf: file, encoding: .utf8) { return secret }  // not there yet
        let secret = beginning + Data(Surroundings.randomBytes(Self.secretBytes)).base64EncodedString()
        try write(secret, to: file)
        return secret
    }

    /// The key that kept keys are sealed with, made at the first call. Throws what the file system refuses.
    func keyEncryptionKey() throws -> KeyEncryptionKey {
        let file = directory.appendingPathComponent("key-encryption-key")
        // Not there yet, or cut short.
        if let text = try? String(contentsOf: file, encoding: .utf8), let key = KeyEncryptionKey(base64: text) {
            return key
        }
        let key = KeyEncryptionKey.random()
        try write(key.base64, to: file)
        return key
    }

    /// The simulator's sales, by transaction id.
    var purchases: URL { directory.appendingPathComponent("purchases") }

    /// The subscriptions that the simulator has sold here, by original transaction id.
    var subscriptions: URL { directory.appendingPathComponent("subscriptions") }

    /// The notifications that the server has not taken yet, by their `notificationUUID`.
    var deliveries: URL { directory.appendingPathComponent("deliveries") }

    /// The sales of the simulated card account.
    var cardSales: URL { directory.appendingPathComponent("cards") }

    /// The endpoint secret that simulated card events are signed with, made at the first call. Throws what the file
    /// system refuses.
    func cardSecret() throws -> String { try secret(in: "stripe-secret", beginning: "whsec_") }

    /// The installation's clock.
    var clock: TestClock { TestClock(rememberedIn: directory.appendingPathComponent("clock")) }

    /// Until when the simulated store has done what was due; nil before it first ran.
    var storeDoneUntil: Instant? {
        let text = try? String(contentsOf: storeFile, encoding: .utf8)  // it never ran
        return text.flatMap { Int64($0) }.map(Instant.init(milliseconds:))
    }

    /// Throws what the file system refuses.
    func keep(storeDoneUntil instant: Instant) throws {
        try write(String(instant.milliseconds), to: storeFile)
    }

    private var storeFile: URL { directory.appendingPathComponent("store-done-until") }

    /// The documents in `folder`; one that another process removes meanwhile is passed over. Throws for one that is
    /// broken.
    func documents<Document: Decodable>(in folder: URL) throws -> [Document] {
        // Without the folder there is none yet.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return try files.filter { $0.hasSuffix(".json") }.compactMap { name in
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else { return nil }  // gone
            return try JSONDecoder().decode(Document.self, from: data)
        }
    }

    /// The settings of the server that runs here, by key; nil while none does.
    var runningDatabase: [String: String]? {
        guard let text = try? String(contentsOf: running, encoding: .utf8) else { return nil }  // none runs
        let lines = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let settings = Dictionary(lines.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }) { first, _ in first }
        return settings.filter { $0.key.hasPrefix("database.") }
    }

    /// The address of the server that runs here; nil while none does.
    var runningAddress: String? {
        guard let text = try? String(contentsOf: running, encoding: .utf8) else { return nil }  // none runs
        return text.split(separator: "\n").first { $0.hasPrefix("address=") }.map { String($0.dropFirst(8)) }
    }

    /// Tells other commands what runs here. Throws what the file system refuses.
    func announce(_ settings: [String: String]) throws {
        let lines = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        try write(lines.joined(separator: "\n"), to: running)
    }

    /// Nothing runs here any more; only the process that claimed the directory may say so.
    func withdraw() {
        try? FileManager.default.removeItem(at: running)  // it was not announced
    }

    /// Writes a file that only its owner may read. Throws what the file system refuses.
    func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data(text.utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    private var running: URL { directory.appendingPathComponent("running") }

    private func kept(in folder: URL) throws -> DevelopmentAuthority.Kept? {
        guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
        let text = { (name: String) in try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8) }
        return DevelopmentAuthority.Kept(
            root: try text("root.pem"), intermediate: try text("intermediate.pem"), leaf: try text("leaf.pem"),
            rootKey: try text("root.key"), intermediateKey: try text("intermediate.key"), leafKey: try text("leaf.key"))
    }

    private func keep(_ kept: DevelopmentAuthority.Kept, in folder: URL) throws {
        let unfinished = folder.appendingPathExtension("unfinished")
        let files = [
            "root.pem": kept.root, "intermediate.pem": kept.intermediate, "leaf.pem": kept.leaf,
            "root.key": kept.rootKey, "intermediate.key": kept.intermediateKey, "leaf.key": kept.leafKey,
        ]
        for (name, text) in files { try write(text, to: unfinished.appendingPathComponent(name)) }
        try FileManager.default.moveItem(at: unfinished, to: folder)
    }
}
