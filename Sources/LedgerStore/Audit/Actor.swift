/// The actor of an audited act: a server or an operator by its API key, or an operator at the command line; never an
/// app user.
package struct Actor: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// An operator who may run the program beside the database.
    package static let commandLine = Actor(text: "command_line")

    private init(text: String) {
        self.text = text
    }

    /// A server, by its key's number, which is never given again, and its name.
    package init(_ key: APIKey) {
        text = "api_key:\(key.id) \(key.name)"
    }

    package var description: String { text }
}
