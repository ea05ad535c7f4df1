import ArgumentParser

/// The measurements of `make bench` that send no requests to the server, and the commands that make its load.
///
/// This program is not part of the product. So it may read the clock itself.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Mints load and measures verification, the fold and the ceiling of the HTTP server.",
        subcommands: [
            MintCommand.self, NotifyCommand.self, VerifyCommand.self, FoldCommand.self, CeilingCommand.self,
        ])
}
