import ArgumentParser
import EntitlementAPI
import Foundation
import Testing

@testable import Gatepass

/// What commands say of themselves.
@Suite struct HelpTests {
    private struct Leaf {
        let words: [String]
        let type: any ParsableCommand.Type
    }

    /// The commands without subcommands.
    private static func leaves(below type: any ParsableCommand.Type, _ words: [String] = []) -> [Leaf] {
        type.configuration.subcommands.flatMap { below -> [Leaf] in
            let path = words + [below.configuration.commandName ?? ""]
            return below.configuration.subcommands.isEmpty
                ? [Leaf(words: path, type: below)] : leaves(below: below, path)
        }
    }

    @Test func `the help of each command has an example, and the program understands it`() throws {
        let leaves = Self.leaves(below: GatepassCommand.self)
        #expect(leaves.count > 40)
        for leaf in leaves {
            let help = GatepassCommand.helpMessage(for: leaf.type, columns: 1_000)
            let start = try #require(help.range(of: "For example: gatepass "), "\(leaf.words): \(help)")
            let words = help[start.upperBound...].prefix { !$0.isNewline }.split(separator: " ").map(String.init)
            #expect(Array(words.prefix(leaf.words.count)) == leaf.words)
            _ = try GatepassCommand.parseAsRoot(Array(words.prefix { $0 != "<" && $0 != ">" }))
        }
    }

    @Test func `the answer of a compensation counts in words`() {
        #expect(
            CompensateCommand.words(Compensation.Counts(), hours: 1)
                == "0 users are given 1 hour, 0 were before, 0 had no coverage then")
    }

    @Test func `files that most commands do not read are taken by all, and stand in no list of options`() throws {
        for leaf in Self.leaves(below: GatepassCommand.self) {
            let options = GatepassCommand.helpMessage(for: leaf.type, columns: 1_000).split(separator: "\n")
                .filter { $0.hasPrefix("  --") }
            #expect(options.contains { $0.hasPrefix("  --config ") }, "\(leaf.words)")
            #expect(!options.contains { $0.hasPrefix("  --catalog ") || $0.hasPrefix("  --migrations ") })
        }
        _ = try GatepassCommand.parseAsRoot(["token", "anna", "--catalog", "c.yaml", "--migrations", "m"])
    }
}
