import ArgumentParser

/// What `make bench` measures that is not a request to the server, and what its load is made of.
///
/// Not part of the product. It reads the clock itself, because what it makes and measures is only for now.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Mints load and measures verification, the fold and the ceiling of the HTTP server.",
        subcommands: [
            MintCommand.self, NotifyCommand.self, VerifyCommand.self, FoldCommand.self, CeilingCommand.self,
        ])
}
