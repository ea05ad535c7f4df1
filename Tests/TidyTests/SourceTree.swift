import Foundation

/// A text file of the repository.
struct TextFile {
    /// From the repository's root, such as `Sources/AppStore/JWS/Base64.swift`.
    let path: String
    let text: String

    /// The first folders: `Sources/AppStore` for any file of that module.
    var module: String { path.split(separator: "/").prefix(2).joined(separator: "/") }

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// How many lines it has; a line break at the end begins none.
    var lineCount: Int { text.utf8.count { $0 == 0x0A } }
}

/// The repository that these tests stand in, as it lies on disk.
enum SourceTree {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// What is built, downloaded or private, and no part of the repository.
    private static let foreign: Set<String> = [".build", ".git", ".gatepass", ".swiftpm", ".venv", "Package.resolved"]

    static let sources = files(in: "Sources", suffix: ".swift")
    static let tests = files(in: "Tests", suffix: ".swift")
    /// The package for apps, and its tests.
    static let client = files(in: "client", suffix: ".swift")

    /// The paths of the pictures of documents.
    static let pictures: [String] = {
        let folder = "docs/pictures"
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return (names ?? []).map { folder + "/" + $0 }
    }()

    /// Every file under `folder` whose name ends so, in the order of their paths.
    static func files(in folder: String, suffix: String = "") -> [TextFile] {
        let start = folder.isEmpty ? root : root.appendingPathComponent(folder)
        var found: [TextFile] = []
        for name in (try? FileManager.default.contentsOfDirectory(atPath: start.path))?.sorted() ?? [] {
            guard !foreign.contains(name), folder + name != "dist", !name.hasSuffix(".log"), name != "__pycache__"
            else { continue }
            let path = folder.isEmpty ? name : folder + "/" + name
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path, isDirectory: &isFolder)
            else { continue }
            if isFolder.boolValue {
                found += files(in: path, suffix: suffix)
            } else if name.hasSuffix(suffix), let text = optionalText(path) {
                found.append(TextFile(path: path, text: text))
            }
        }
        return found
    }

    static func file(_ path: String) throws -> TextFile {
        TextFile(path: path, text: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8))
    }

    /// Nil for a file that is not there, or is no text.
    static func optionalText(_ path: String) -> String? {
        try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}
