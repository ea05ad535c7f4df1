import ArgumentParser

/// `gatepass tokens`: manages the keys that sign entitlement tokens.
struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "Rotate the keys that entitlement tokens are signed with.",
        subcommands: [TokensRotateCommand.self])
}
