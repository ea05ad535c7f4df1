import Foundation
import Support
import Testing

@testable import Gatepass

/// `gatepass secrets create`: what a new installation needs, made once.
@Suite struct SecretsTests {
    private static func text(_ file: String, in directory: String) throws -> String {
        try String(contentsOfFile: directory + "/" + file, encoding: .utf8)
    }

    private static func texts(in directory: String) throws -> [String] {
        try NewSecrets.files.flatMap(\.self).map { try text($0, in: directory) }
    }

    /// What the file system says of a file. Throws when it is not there.
    private static func found(_ path: String) throws -> stat {
        var found = stat()
        let status = stat(path, &found)
        try #require(status == 0, "\(path)")
        return found
    }

    /// The permissions of a file, such as 0o600. Throws when it is not there.
    private static func mode(of path: String) throws -> mode_t { try found(path).st_mode & 0o777 }

    @Test func `every secret is made once, a file each that its owner alone reads`() throws {
        let directory = try PrivateMariaDB.makeDirectory() + "/deep/secrets"
        let secrets = NewSecrets(directory: directory)
        #expect(try secrets.create() == NewSecrets.files.flatMap(\.self))
        for file in NewSecrets.files.flatMap(\.self) { #expect(try Self.mode(of: directory + "/" + file) == 0o600) }
        for folder in NewSecrets.folders { #expect(try Self.mode(of: directory + "/" + folder) == 0o700) }
        let made = try Self.texts(in: directory)
        #expect(made.allSatisfy { KeyEncryptionKey(base64: $0) != nil })
        #expect(Set(made).count == NewSecrets.files.count && made.count == 7)
        #expect(try secrets.create() == [])
        #expect(try Self.texts(in: directory) == made)
    }

    @Test func `production starts with the server's folder, and migrates with the other one`() throws {
        let directory = try PrivateMariaDB.makeDirectory()
        _ = try NewSecrets(directory: directory).create()
        for folder in ["server", "migrate"] {
            let files = NewSecrets.files.flatMap(\.self).filter { $0.hasPrefix(folder + "/") }
            var credentials: [String: String] = [:]
            for file in files {
                credentials[String(file.dropFirst(folder.count + 1))] = try Self.text(file, in: directory)
            }
            #expect(Set(credentials.keys).isSubset(of: KnownKeys().secrets) && credentials.count == 2)
            let settings = try LoadedSettings(
                from: SettingsInputs(
                    environment: [
                        "GATEPASS_ENVIRONMENT": "production", "GATEPASS_AUTH_APPLE_ACCOUNTS_ENABLED": "true",
                    ], credentials: credentials)
            ).settings
            let account = folder == "server" ? "gatepass" : "gatepass_migrate"
            #expect(try settings.database.password?.text == Self.text("database/" + account, in: directory))
        }
    }

    @Test func `a file that is there stays, its pair gets the same, and an empty one is filled`() throws {
        let directory = try PrivateMariaDB.makeDirectory()
        try FileManager.default.createDirectory(
            atPath: directory + "/server", withIntermediateDirectories: true)
        try EndToEndServer.write("mine\n", to: directory + "/server/database.password")
        try EndToEndServer.write("", to: directory + "/server/tokens.key_encryption_key")
        let made = try NewSecrets(directory: directory).create()
        #expect(!made.contains("server/database.password") && made.count == 6)
        #expect(try Self.text("server/database.password", in: directory) == "mine\n")
        #expect(try Self.text("database/gatepass", in: directory) == "mine")
        let keys = try NewSecrets.files[0].map { try Self.text($0, in: directory) }
        #expect(keys[0] == keys[1] && KeyEncryptionKey(base64: keys[0]) != nil)
        #expect(try Self.mode(of: directory + "/server/tokens.key_encryption_key") == 0o600)
    }

    @Test func `two files of one secret that differ are refused, and both are named and kept`() async throws {
        let directory = try PrivateMariaDB.makeDirectory()
        _ = try NewSecrets(directory: directory).create()
        try EndToEndServer.write("other", to: directory + "/database/gatepass")
        let answer = try await DevelopmentInstallation.command(["secrets", "create", directory])
        #expect(answer.status == 1)
        #expect(
            answer.text == "gatepass: \(directory)/server/database.password and \(directory)/database/gatepass differ, "
                + "and should have one secret: remove the one that is not in use\n")
        #expect(try Self.text("database/gatepass", in: directory) == "other")
    }

    @Test func `a directory that cannot be made is named`() async throws {
        let directory = try PrivateMariaDB.makeDirectory()
        try EndToEndServer.write("", to: directory + "/file")
        let answer = try await DevelopmentInstallation.command(["secrets", "create", directory + "/file/secrets"])
        #expect(answer.status == 1)
        #expect(
            answer.text
                == "gatepass: \(directory)/file/secrets cannot be made: name a directory that this user can write to\n")
    }

    @Test(.enabled(if: geteuid() == 0)) func `root gives each file to the owner of its folder`() throws {
        let directory = try PrivateMariaDB.makeDirectory()
        let folder = directory + "/database"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(chown(folder, 999, 998) == 0)
        _ = try NewSecrets(directory: directory).create()
        let given = try Self.found(folder + "/root")
        #expect(given.st_uid == 999 && given.st_gid == 998)
        #expect(try Self.found(directory + "/server/database.password").st_uid == 0)
    }
}
