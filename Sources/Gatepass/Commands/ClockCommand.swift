import ArgumentParser
import EntitlementAPI
import Foundation

/// `gatepass clock`: the clock of the development server.
struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Tell, or put forward, the clock of the development server.",
        subcommands: [ClockShowCommand.self, ClockAdvanceCommand.self])
}

/// `gatepass clock show`: prints the server's time.
struct ClockShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print what time it is for the server.",
        discussion: "For example: gatepass clock show")

    @OptionGroup var installation: InstallationOptions

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    /// Throws the exit status 1 if no server runs.
    func run() async throws {
        try await Startup.reporting {
            let answer = try await RunningServer(on: installation.installation).clock().required()
            print(json ? answer.body : "\(answer.members["now"] ?? "")")
        }
    }
}

/// `gatepass clock advance`: puts the server's clock forward; what falls due on the way happens.
struct ClockAdvanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance",
        abstract: "Put the server's clock forward; plans renew and end, and notifications are tried again, on the way.",
        discussion: "There is no way back but a new data folder. For example: gatepass clock advance 40d")

    @Argument(help: "By how much, such as 40d, 12h or 1d12h30m.")
    var duration: String

    @OptionGroup var installation: InstallationOptions

    @Flag(help: "Print the server's answers as JSON, each on a line; there are more while much happens on the way.")
    var json = false

    /// Throws if the duration cannot be read, and the exit status 1 if no server runs.
    func run() async throws {
        guard Span(duration) != nil else {
            throw ValidationError("\(duration) is no length of time: write 40d, 12h or 1d12h30m")
        }
        try await Startup.reporting {
            let server = try RunningServer(on: installation.installation)
            StandardError.print(Target.line(of: server.installation))
            try await server.advanceClock(by: duration) { answer in
                guard !json else { return print(answer.body) }
                for happening in ClockHappening.all(in: answer) { print(happening.line) }
                print("It is \(answer.members["now"] ?? "")")
            }
            if !json { print("There is no way back but a new data folder, with `gatepass dev --data-dir`.") }
        }
    }
}
