/// The actor of an audited act. It is a server or an operator with an API key, or an operator at the command line,
/// never an app user.
package struct Actor: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// An operator who runs the program on a machine that reaches the database.
    package static let commandLine = Actor(text: "command_line")

    static let apiKeyPrefix = "api_key:"

    private init(text: String) {
        self.text = text
    }

    /// The server with this API key, by the key's id and name. The id of a key is never given to another key.
    package init(_ key: APIKey) {
        text = Self.apiKeyPrefix + "\(key.id) \(key.name)"
    }

    package var description: String { text }
}
