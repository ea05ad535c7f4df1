import AppStore
import Crypto
import Entitlements
import Foundation
import StoreSimulator

/// A development installation: a directory with its own signing authority, login secret and private database.
///
/// Installations share nothing, and a production server refuses their root certificates.
struct Installation {
    static let defaultDirectory = ".gatepass"
    /// The validity of an installation's certificates: from 2021-01-01, so that old purchases can be simulated, until
    /// thirty years after they are made. Milliseconds.
    private static let validity = (from: Int64(1_609_459_200_000), after: Int64(10_957 * 86_400_000))
    private static let secretBytes = 48

    /// The directory; only its owner can read it.
    let directory: URL

    /// The installation at `path`, relative to the working directory. Nothing is created yet.
    init(path: String) {
        directory = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
    }

    /// The reason why an installation cannot be used.
    enum Failure: Error, CustomStringConvertible {
        case inUse(directory: String)
        case notWritable(directory: String, reason: String)
        case missing(directory: String)
        case notRunning(directory: String)
        case production
        case login(key: String, origin: Origin)
        case host(String)

        var description: String {
            switch self {
            case .inUse(let directory):
                "another `gatepass dev` runs in \(directory): stop it, or name another directory with --data-dir"
            case .notWritable(let directory, let reason):
                "the directory \(directory) cannot be used (\(reason)): name another with --data-dir"
            case .missing(let directory):
                "there is no installation in \(directory): start `gatepass dev` there, or name one with --data-dir"
            case .notRunning(let directory):
                "no development server runs in \(directory): start `gatepass dev` there, or leave --data-dir out"
            case .production: "`gatepass dev` is for development, and environment is production: use `gatepass serve`"
            case .login(let key, let origin):
                "`gatepass dev` takes the tokens of `gatepass token USER` alone, and \(key) names a login of your own "
                    + "(\(origin)): leave it out here, or try your login with `gatepass serve`"
            case .host(let host):
                "a development server has to be reached at 127.0.0.1, where its simulated App Store is, and \(host) is "
                    + "another address: with --host 0.0.0.0 it listens on all"
            }
        }
    }

    /// Creates the directory and locks it until this process ends. Throws `Failure`, also if another process holds the
    /// lock.
    func claim() throws {
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure.notWritable(directory: directory.path, reason: "it cannot be made")
        }
        // The lock's file is never closed, so the lock ends with the process. O_CLOEXEC keeps child processes, such as
        // the database server, from holding it.
        let lock = open(directory.appendingPathComponent("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw Failure.notWritable(directory: directory.path, reason: String(cString: strerror(errno)))
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { throw Failure.inUse(directory: directory.path) }
    }

    /// Throws `Failure` if the directory does not exist.
    func requireMade() throws {
        guard FileManager.default.fileExists(atPath: directory.path) else {
            throw Failure.missing(directory: directory.path)
        }
    }

    /// Puts the clock of a new installation back by `milliseconds`; the clock of any other one stays. Throws an error
    /// of the file system.
    func begin(before milliseconds: Int64) throws {
        guard !FileManager.default.fileExists(atPath: authorityFolder.path) else { return }
        try write(String(-milliseconds), to: clockFile)
    }

    /// The authority that signs simulated purchases. The first call creates it. Throws an error of the file system.
    func authority() throws -> DevelopmentAuthority {
        if let text = try kept(in: authorityFolder) {
            return try DevelopmentAuthority(
                .init(
                    root: text("root.pem"), intermediate: text("intermediate.pem"), leaf: text("leaf.pem"),
                    rootKey: text("root.key"), intermediateKey: text("intermediate.key"), leafKey: text("leaf.key")))
        }
        let authority = try DevelopmentAuthority(
            validFrom: Self.validity.from, validUntil: Surroundings.now().milliseconds + Self.validity.after)
        let kept = try authority.kept
        try keep(
            [
                "root.pem": kept.root, "intermediate.pem": kept.intermediate, "leaf.pem": kept.leaf,
                "root.key": kept.rootKey, "intermediate.key": kept.intermediateKey, "leaf.key": kept.leafKey,
            ], in: authorityFolder)
        return authority
    }

    /// The authority that signs simulated receipts. The first call creates it. Throws an error of the file system.
    func receiptAuthority() throws -> ReceiptAuthority {
        if let text = try kept(in: receiptAuthorityFolder) {
            return try ReceiptAuthority(
                .init(
                    root: text("root.pem"), intermediate: text("intermediate.pem"), leaf: text("leaf.pem"),
                    key: text("key.pem")))
        }
        let authority = try ReceiptAuthority(
            validFrom: Self.validity.from, validUntil: Surroundings.now().milliseconds + Self.validity.after)
        let kept = try authority.kept
        try keep(
            [
                "root.pem": kept.root, "intermediate.pem": kept.intermediate, "leaf.pem": kept.leaf,
                "key.pem": kept.key,
            ], in: receiptAuthorityFolder)
        return authority
    }

    private var receiptAuthorityFolder: URL { directory.appendingPathComponent("receipt-authority") }

    /// The path of the root certificate of receipts, as the setting `apple.receipt_roots` takes it.
    var receiptRootFile: String { directory.appendingPathComponent("receipt-authority/root.pem").path }

    private var authorityFolder: URL { directory.appendingPathComponent("authority") }

    /// The path of the root certificate, as the setting `apple.trust_roots` takes it.
    var rootFile: String { directory.appendingPathComponent("authority/root.pem").path }

    /// The secret that signs development tokens. The first call creates it. Throws an error of the file system.
    func secret() throws -> String { try secret(in: "hs256-secret") }

    private func secret(in name: String, beginning: String = "") throws -> String {
        let file = directory.appendingPathComponent(name)
        if let secret = try? String(contentsOf: file, encoding: .utf8) { return secret }  // not there yet
        let secret = beginning + Data(Surroundings.randomBytes(Self.secretBytes)).base64EncodedString()
        try write(secret, to: file)
        return secret
    }

    /// The key that seals stored keys. The first call creates it. Throws an error of the file system.
    func keyEncryptionKey() throws -> KeyEncryptionKey {
        let file = directory.appendingPathComponent("key-encryption-key")
        // `try?` drops the error: the file is missing, or it was cut short.
        if let text = try? String(contentsOf: file, encoding: .utf8), let key = KeyEncryptionKey(base64: text) {
            return key
        }
        let key = KeyEncryptionKey.random()
        try write(key.base64, to: file)
        return key
    }

    /// The folder of simulated one-time purchases, a file for each transaction id.
    var purchases: URL { directory.appendingPathComponent("purchases") }

    /// The folder of simulated subscriptions, a file for each original transaction id.
    var subscriptions: URL { directory.appendingPathComponent("subscriptions") }

    /// The folder of notifications that the server has not accepted yet, a file for each `notificationUUID`.
    var deliveries: URL { directory.appendingPathComponent("deliveries") }

    /// The folder of sales of the simulated card account.
    var cardSales: URL { directory.appendingPathComponent("cards") }

    /// The endpoint secret that signs simulated card events. The first call creates it. Throws an error of the file
    /// system.
    func cardSecret() throws -> String { try secret(in: "stripe-secret", beginning: "whsec_") }

    /// The secret that verifyReceipt shares with the server. The first call creates it. Throws an error of the file
    /// system.
    func receiptSecret() throws -> String { try secret(in: "receipt-secret") }

    /// The path of the In-App Purchase key, as the setting `apple.private_key_file` takes it. The first call creates
    /// the key. Throws an error of the file system.
    func appStoreKeyFile() throws -> String {
        let file = directory.appendingPathComponent("app-store-key.p8")
        if !FileManager.default.fileExists(atPath: file.path) {
            try write(P256.Signing.PrivateKey().pemRepresentation, to: file)
        }
        return file.path
    }

    /// The In-App Purchase key in PEM. The first call creates it. Throws an error of the file system.
    func appStoreKey() throws -> String { try String(contentsOfFile: try appStoreKeyFile(), encoding: .utf8) }

    /// The test clock of the installation.
    var clock: TestClock { TestClock(rememberedIn: clockFile) }

    private var clockFile: URL { directory.appendingPathComponent("clock") }

    /// The instant up to which the simulated store has done everything that was due; nil before its first run.
    var storeDoneUntil: Instant? {
        let text = try? String(contentsOf: storeFile, encoding: .utf8)  // it never ran
        return text.flatMap { Int64($0) }.map(Instant.init(milliseconds:))
    }

    /// Stores the instant up to which everything is done. Throws an error of the file system.
    func keep(storeDoneUntil instant: Instant) throws {
        try write(String(instant.milliseconds), to: storeFile)
    }

    private var storeFile: URL { directory.appendingPathComponent("store-done-until") }

    /// Decodes all JSON files in `folder`. A file that another process removes meanwhile is skipped. Throws if a file
    /// is broken.
    func documents<Document: Decodable>(in folder: URL) throws -> [Document] {
        // `try?` drops the error: if the folder does not exist, there are no documents yet.
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return try files.filter { $0.hasSuffix(".json") }.compactMap { name in
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(name)) else { return nil }  // gone
            return try JSONDecoder().decode(Document.self, from: data)
        }
    }

    /// The settings of the running server that replace those of the settings file, by key; nil if none runs.
    var runningSettings: [String: String]? { announced?.filter { $0.key != "address" } }

    /// The address of the running server; nil if none runs.
    var runningAddress: String? { announced?["address"] }

    /// The base address of the simulated App Store of an environment; nil if no server runs.
    func appStoreAddress(_ environment: StoreEnvironment) -> String? {
        runningAddress.map { Self.appStoreAddress(environment, at: $0) }
    }

    /// The base address of the simulated App Store of an environment, under a server's address.
    static func appStoreAddress(_ environment: StoreEnvironment, at address: String) -> String {
        "\(address)/dev/apple/\(environment.rawValue.lowercased())"
    }

    private var announced: [String: String]? {
        guard isHeld, let text = try? String(contentsOf: running, encoding: .utf8) else { return nil }  // none runs
        let lines = text.split(separator: "\n").map { line in
            line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        }
        return Dictionary(lines.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }) { first, _ in first }
    }

    /// Writes the running server's settings to a file, where other commands find them. They count until this process
    /// ends. Throws `Failure`, or an error of the file system.
    func announce(_ settings: [String: String]) throws {
        let lines = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        try write(lines.joined(separator: "\n"), to: running)
        // Like the directory's lock, this one ends with the process, however that ends. It waits for a command that
        // looks at the file just now.
        let file = open(running.path, O_RDWR | O_CLOEXEC)
        guard file >= 0, flock(file, LOCK_EX) == 0 else {
            throw Failure.notWritable(directory: directory.path, reason: String(cString: strerror(errno)))
        }
    }

    /// True while the process runs that wrote the settings. A process that was killed leaves its file behind.
    private var isHeld: Bool {
        let file = open(running.path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0
    }

    /// Removes the file that `announce` wrote. Only the process that holds the lock may call it.
    func withdraw() {
        try? FileManager.default.removeItem(at: running)  // it was not announced
    }

    /// Writes a file that only its owner can read. Throws an error of the file system.
    func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data(text.utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    private var running: URL { directory.appendingPathComponent("running") }

    /// A reader of the texts that `keep` wrote to a folder; nil if it wrote none.
    private func kept(in folder: URL) throws -> ((_ name: String) throws -> String)? {
        guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
        return { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
    }

    private func keep(_ files: [String: String], in folder: URL) throws {
        let unfinished = folder.appendingPathExtension("unfinished")
        for (name, text) in files { try write(text, to: unfinished.appendingPathComponent(name)) }
        try FileManager.default.moveItem(at: unfinished, to: folder)
    }
}
