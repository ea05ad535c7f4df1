/// What only `Gatepass` may touch: the clock, randomness, the environment; and what nobody may write.
enum Surroundings {
    /// A sequence of words, and the modules that may have it.
    struct Ban {
        let words: [String]
        var exempt: Set<String> = []
    }

    static let bans: [Ban] = [
        Ban(words: ["Date", "(", ")"], exempt: ["Gatepass"]),
        Ban(words: ["Date", ".", "now"], exempt: ["Gatepass"]),
        Ban(words: ["ContinuousClock"], exempt: ["Gatepass"]),
        Ban(words: ["SuspendingClock"], exempt: ["Gatepass"]),
        Ban(words: ["DispatchTime"], exempt: ["Gatepass"]),
        Ban(words: ["clock_gettime"], exempt: ["Gatepass"]),
        Ban(words: ["gettimeofday"], exempt: ["Gatepass"]),
        Ban(words: ["UUID", "(", ")"], exempt: ["Gatepass"]),
        Ban(words: [".", "random", "("], exempt: ["Gatepass"]),
        Ban(words: ["randomElement"], exempt: ["Gatepass"]),
        Ban(words: ["shuffled"], exempt: ["Gatepass"]),
        Ban(words: ["SystemRandomNumberGenerator"], exempt: ["Gatepass"]),
        Ban(words: ["PrivateKey", "(", ")"], exempt: ["Gatepass", "StoreSimulator"]),
        Ban(words: ["getenv"], exempt: ["Gatepass"]),
        Ban(words: ["ProcessInfo"], exempt: ["Gatepass"]),
        Ban(words: ["FileManager"], exempt: ["Gatepass"]),
        Ban(words: ["print", "("], exempt: ["Gatepass"]),
        // Waiting is no reading of a clock: retries of the client, and a migration that another instance is at.
        Ban(words: ["Task", ".", "sleep"], exempt: ["Gatepass", "MariaDB", "LedgerStore"]),
        Ban(words: ["unchecked", "Sendable"], exempt: ["MariaDB"]),
        Ban(words: ["Task", ".", "detached"]),
        Ban(words: ["fatalError"]),
        Ban(words: ["try", "!"]),
        Ban(words: ["as", "!"]),
    ]

    /// What measures needs a clock, and is no part of the product.
    static func findings(in file: TextFile) -> [String] {
        let module = String(file.module.dropFirst("Sources/".count))
        guard module != "Benchmarks" else { return [] }
        let tokens = SwiftTokens.code(of: file.text)
        return bans.filter { !$0.exempt.contains(module) }.flatMap { ban in
            tokens.indexes(of: ban.words).filter { isAsOneWrites(ban, at: $0, in: tokens) }.map {
                "\(file.path):\(tokens[$0].line): no \(ban.words.joined())"
            }
        } + unwraps(in: tokens).map { "\(file.path):\($0): no force unwrap" }
    }

    /// `try !isReady` forces nothing.
    private static func isAsOneWrites(_ ban: Ban, at index: Int, in tokens: [Token]) -> Bool {
        ban.words.last != "!" || tokens[index + ban.words.count - 1].isGlued
    }

    /// The lines where something is unwrapped by force.
    private static func unwraps(in tokens: [Token]) -> [Int] {
        tokens.indices.dropFirst().compactMap { index in
            let (before, token) = (tokens[index - 1], tokens[index])
            guard token.text == "!", token.kind == .symbol, token.isGlued,
                before.kind == .word || before.kind == .string || [")", "]", "}", "?"].contains(before.text),
                !["try", "as"].contains(before.text)
            else { return nil }
            // `a!=b`, should anybody write so.
            if index + 1 < tokens.count, tokens[index + 1].text == "=", tokens[index + 1].isGlued { return nil }
            return token.line
        }
    }
}
