import AppStore
import ArgumentParser
import Foundation
import StoreSimulator

/// Writes a file for the load scripts. Its first line is the header segment that all signed texts share. Each further
/// line is a request: the user's token and the rest of each signed text, with tabs between them.
struct MintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mint", abstract: "Writes user tokens and freshly signed transactions, one request a line.")

    @Option(help: "Where the signing authority is kept; made if it is not there.")
    var authority: String

    @Option(help: "The secret that user tokens are signed with.")
    var secret: String

    @Option(help: "The file to write.")
    var output: String

    @Option(help: "How many requests.")
    var count: Int

    @Option(help: "How many signed transactions each request has.")
    var items = 1

    @Option(help: "The number of the first user.")
    var first = 1

    @Option(help: "The number of the first transaction.")
    var transaction = 1

    @Option(help: "How far apart the users' numbers are.")
    var stride = 1

    @Option(help: "What stands before the number in a user's id.")
    var prefix = "u"

    @Option(help: "Draw each request's user, uniformly, from so many users; 0 takes one after the other.")
    var among = 0

    @Flag(help: "Packs of credits, not passes.")
    var credits = false

    /// - Throws: An error of the file system.
    func run() async throws {
        let now = Wall.milliseconds
        let authority = try AuthorityDirectory(path: authority).authority()
        let tokens = UserTokens(secret: secret, at: now)
        let place = URL(fileURLWithPath: output)
        try Data().write(to: place)
        let file = try FileHandle(forWritingTo: place)
        var text = ""
        for index in 0..<count {
            let user = first + (among > 0 ? Int.random(in: 0..<among) : index) * stride
            var line = tokens.token(for: prefix + String(user))
            for item in 0..<items {
                let number = transaction + index * items + item
                let transaction =
                    credits
                    ? Sale.credits(number: number, daysAgo: items - item, account: user, at: now)
                    : Sale.transaction(number: number, place: item, daysAgo: items - item, account: user, at: now)
                let signed = try authority.sign(transaction).text
                let header = signed.utf8.firstIndex(of: UInt8(ascii: ".")) ?? signed.startIndex
                if text.isEmpty, index == 0, item == 0 { text = signed[..<header] + "\n" }
                line += "\t" + signed[signed.utf8.index(after: header)...]
            }
            if text.isEmpty, index == 0 { text = "\n" }
            text += line + "\n"
            guard text.utf8.count > Self.flushBytes else { continue }
            try file.write(contentsOf: Data(text.utf8))
            text = ""
        }
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private static let flushBytes = 1 << 20
}
