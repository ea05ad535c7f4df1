import Foundation
import NIOHTTP1
import StrictJSON
import Support
import Testing

/// The code blocks of one story of `docs/support.md`.
struct SupportPage {
    /// A command line of the page, and the lines of its answer that the page shows.
    struct Command: Equatable {
        let words: [String]
        var shown: [String]
    }

    /// The commands of each block, in the order of the page. Lines that do not begin with `$ gatepass` and what follows
    /// them are left out.
    let blocks: [[Command]]

    /// Reads the story under the heading `title` of `text`.
    init(story title: String, in text: String) {
        var blocks: [[Command]] = []
        var (isInStory, isInBlock, isCommand) = (false, false, false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("## ") { isInStory = line == "## " + title }
            guard isInStory else { continue }
            if line.hasPrefix("```") {
                isInBlock = line == "```console"
                if isInBlock { blocks.append([]) }
            } else if isInBlock, line.hasPrefix("$ ") {
                let words = Self.words(of: line)
                isCommand = words[1] == "gatepass"
                if isCommand { blocks[blocks.count - 1].append(Command(words: Array(words[2...]), shown: [])) }
            } else if isInBlock, isCommand, let command = blocks.last?.indices.last {
                blocks[blocks.count - 1][command].shown.append(line)
            }
        }
        self.blocks = blocks
    }

    /// Reads the story under the heading `title` of the page. Throws when there is no page.
    init(story title: String) throws {
        self.init(
            story: title,
            in: try String(contentsOfFile: TestRun.repository + "/docs/support.md", encoding: .utf8))
    }

    /// The words of a command line; quotes hold several together.
    static func words(of line: String) -> [String] {
        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { number, part in
            number % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
        }
    }
}

/// A story of the page as it happens on an installation.
final class SupportStory {
    let installation: DevelopmentInstallation
    /// The ids of this run, by those on the page.
    private var ids: [String: String] = [:]

    init(on installation: DevelopmentInstallation) {
        self.installation = installation
    }

    /// Runs the commands as somebody does who reads the page: with the ids of earlier answers in place of the page's.
    /// Each must answer what the page shows, and end well, but where a user is not there. Throws when the program
    /// cannot be run.
    func play(_ commands: [SupportPage.Command]) async throws {
        #expect(!commands.isEmpty)
        for command in commands {
            let words = command.words.map { ids[$0] ?? $0 }
            let answer = try await installation.run(words)
            let isThere = !command.shown.contains { $0.hasPrefix("gatepass: there is no user ") }
            #expect(answer.status == (isThere ? 0 : 1), "\(words): \(answer.text)")
            let lines = answer.text.split(separator: "\n").map(String.init)
            for shown in command.shown {
                #expect(take(shown, from: lines), "\(words): \(shown)\nis not in:\n\(answer.text)")
            }
            if command.shown.isEmpty { #expect(lines == [], "\(words): \(answer.text)") }
        }
    }

    /// Whether one of `lines` is the line that the page shows, ids and instants aside; its ids are kept.
    private func take(_ shown: String, from lines: [String]) -> Bool {
        guard !shown.contains("…") else { return ShownLine(shown).isIn(lines) }
        guard let line = lines.first(where: { ShownLine(shown).isIn([$0]) }) else { return false }
        for (old, new) in zip(ShownLine.words(of: shown), ShownLine.words(of: line)) where ShownLine.differs(old) {
            ids[old] = new
        }
        return true
    }

    /// Whether the user has access, as the app learns it. Throws when no whole answer came.
    func hasAccess(_ user: String) async throws -> Bool? {
        try await installation.send(.GET, EndToEndServer.statusPath, as: user)["active"]?.flag
    }

    /// The status of the answer to an app that registers a device. Throws when no whole answer came.
    func register(_ device: String, of user: String) async throws -> Int {
        let body = Data(#"{"device_id":"\#(device)","name":"Old phone"}"#.utf8)
        return try await installation.send(.POST, "/api/devices", body, as: user).status
    }
}
