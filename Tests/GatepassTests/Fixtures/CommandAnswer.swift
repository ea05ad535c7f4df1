/// What a command printed on both of its output streams.
struct CommandAnswer: Sendable {
    let status: Int32
    /// The first line, if it names the server that the command is for.
    let target: String?
    /// Everything else.
    let text: String

    init(status: Int32, printed: String) {
        self.status = status
        let lines = printed.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        let first = lines.first.map(String.init) ?? ""
        let namesServer = ["on development, ", "on production, "].contains { first.hasPrefix($0) }
        target = namesServer ? first : nil
        text = namesServer ? String(lines.last ?? "") : printed
    }
}
