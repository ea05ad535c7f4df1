import Foundation

/// The secrets of a new installation, as files in a folder for each reader.
///
/// A run makes what is missing and overwrites nothing, so that it is safe to repeat: a key that was made anew would
/// make the database's contents worthless. A secret that two readers know stands in two files, and a missing one gets
/// what the other has.
struct NewSecrets {
    /// The reason why a secret cannot be made.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The folders, one for each reader: the server, `gatepass migrate`, and the script that makes the accounts.
    static let folders = ["server", "migrate", "database"]

    /// The secrets, each by the files that have it. Those of the credentials directories have the names of settings.
    static let files = [
        ["server/tokens.key_encryption_key", "migrate/tokens.key_encryption_key"],
        ["server/database.password", "database/gatepass"],
        ["migrate/database.password", "database/gatepass_migrate"],
        ["database/root"],
    ]

    let directory: String

    /// Makes what is missing, and returns the files that were made, in their order.
    ///
    /// Two runs at once make the same secrets, because one waits for the other. Throws `Failure` for a file that cannot
    /// be read or written, and for two files that should have the same secret and differ.
    func create() throws(Failure) -> [String] {
        try makeFolder(directory)
        let lock = open(directory, O_RDONLY | O_CLOEXEC)
        guard lock >= 0 else { throw Self.failure("\(directory) cannot be opened") }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else { throw Self.failure("\(directory) cannot be locked") }
        for folder in Self.folders { try makeFolder(path(folder)) }
        var made: [String] = []
        for files in Self.files { made += try complete(files) }
        return made
    }

    /// Makes those of the files of one secret that are missing, and returns them.
    private func complete(_ files: [String]) throws(Failure) -> [String] {
        var kept: [(file: String, text: String)] = []
        var missing: [String] = []
        for file in files {
            if let secret = try text(of: file) { kept.append((file, secret)) } else { missing.append(file) }
        }
        if let first = kept.first, let other = kept.first(where: { $0.text != first.text }) {
            throw Failure(
                description: "\(path(first.file)) and \(path(other.file)) differ, and should have one secret: "
                    + "remove the one that is not in use")
        }
        let secret = kept.first?.text ?? KeyEncryptionKey.random().base64
        for file in missing { try write(secret, to: file) }
        return missing
    }

    /// The secret in a file; nil if there is none, or an empty one that an interrupted run left.
    private func text(of file: String) throws(Failure) -> String? {
        let name = path(file)
        guard FileManager.default.fileExists(atPath: name) else { return nil }
        guard let data = FileManager.default.contents(atPath: name), let text = String(bytes: data, encoding: .utf8)
        else {
            throw Failure(description: "\(name) cannot be read: let this user read it, as UTF-8 text")
        }
        let secret = SecretFiles.trimmed(text)
        return secret.isEmpty ? nil : secret
    }

    /// Writes a file that its owner alone can read. Root gives it to the owner of the folder, who is its reader.
    private func write(_ secret: String, to file: String) throws(Failure) {
        let name = path(file)
        let descriptor = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("\(name) cannot be made") }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure("\(name) cannot be protected") }
        if geteuid() == 0 {
            let folder = path(String(file.prefix { $0 != "/" }))
            var owned = stat()
            guard stat(folder, &owned) == 0, fchown(descriptor, owned.st_uid, owned.st_gid) == 0 else {
                throw Self.failure("\(name) cannot be given to the owner of \(folder)")
            }
        }
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            try handle.write(contentsOf: Data(secret.utf8))
            try handle.synchronize()
        } catch {
            throw Failure(description: "\(name) cannot be written: \(error)")
        }
    }

    private func makeFolder(_ folder: String) throws(Failure) {
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(description: "\(folder) cannot be made: name a directory that this user can write to")
        }
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    /// The failure of the system call before, with its reason.
    private static func failure(_ words: String) -> Failure {
        Failure(description: "\(words) (\(String(cString: strerror(errno))))")
    }
}
