import ArgumentParser

/// `gatepass simulate STORY`: plays a store; the development authority signs its texts. `Story.table` lists the
/// stories.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Play the stores: buy, renew, cancel, refund …, and tell the running server as they would.",
        discussion: "For example: gatepass simulate purchase --user anna\n\nThe stories:\n"
            + Story.table.map(\.row).joined(separator: "\n"))

    @Argument(
        help: .init("The story; `stories` prints which options each takes.", valueName: "story"),
        completion: .list(Story.table.flatMap(\.words).filter { $0 != $0.uppercased() }))
    var words: [String] = []

    @OptionGroup var options: StoryOptions

    /// Throws if no story is named, if the story does not take an option, or if two options exclude each other.
    func validate() throws {
        guard !words.isEmpty, words != ["stripe"] else { throw CleanExit.helpRequest() }
        let story = try story()
        let given = options.given
        if let other = given.first(where: { !story.options.contains($0) }) {
            throw ValidationError(
                "\(story.name) takes no --\(other): `gatepass simulate stories` prints what each story takes")
        }
        for (one, other) in StoryOptions.exclusive where given.contains(one) && given.contains(other) {
            throw ValidationError("--\(one) and --\(other) exclude each other")
        }
        for (name, days) in [("days", options.days), ("grace-days", options.graceDays)]
        where days.map({ $0 < 1 }) ?? false {
            throw ValidationError("--\(name): write 1 or more")
        }
    }

    /// Throws if an option has a wrong value, and the exit status 1 if the story does not fit the sale or the server
    /// refuses it.
    func run() async throws {
        try await story().happen(Simulation(options, about: words.last ?? ""))
    }

    private func story() throws -> Story {
        guard let story = Story.table.first(where: { $0.isCalled(words) }) else {
            throw ValidationError(
                "no story is called \(words.joined(separator: " ")): `gatepass simulate stories` prints all")
        }
        return story
    }
}
