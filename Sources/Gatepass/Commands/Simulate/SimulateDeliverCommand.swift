import ArgumentParser

/// `gatepass simulate deliver`: the notifications that were held back are delivered.
struct SimulateDeliverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliver", abstract: "Deliver the notifications that were held back with --hold.")

    @OptionGroup var options: CommandOptions

    @OptionGroup var installation: InstallationOptions

    @Flag(help: "The newest first, as when answers are lost and the store tries again.")
    var newestFirst = false

    /// Throws the exit status 1 when no server runs.
    func run() async throws {
        let installation = Installation(path: installation.dataDir)
        try await Startup.reporting {
            try installation.requireMade()
            let server = try RunningServer(on: installation)
            let held = try KeptDelivery.all(in: installation).filter { $0.dueAt == nil }
            for delivery in newestFirst ? held.reversed() : held {
                let answer = try await delivery.attempt(on: server, at: installation.clock.now())
                print("\(delivery.words): \(answer.words)")
            }
            if held.isEmpty { print("No notification is held back.") }
        }
    }
}
