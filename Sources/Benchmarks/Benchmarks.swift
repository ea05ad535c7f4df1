import ArgumentParser

/// The measurements of `make bench` that are no requests to the server, and the makers of its load.
///
/// Not part of the product. The clock is read here, because load and measurements are only for now.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Mints load and measures verification, the fold and the ceiling of the HTTP server.",
        subcommands: [
            MintCommand.self, NotifyCommand.self, VerifyCommand.self, FoldCommand.self, CeilingCommand.self,
        ])
}
