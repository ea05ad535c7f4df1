/// The actor of an audited act. It is a server or an operator with an API key, a person of the staff, or an operator at
/// the command line, never an app user.
package struct Actor: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// An operator who runs the program on a machine that reaches the database.
    package static let commandLine = Actor(text: "command_line")

    static let apiKeyPrefix = "api_key:"
    private static let staffPrefix = "staff:"

    private init(text: String) {
        self.text = text
    }

    /// The server with this API key, by the key's id and name. The id of a key is never given to another key.
    package init(_ key: APIKey) {
        text = Self.apiKeyPrefix + "\(key.id) \(key.name)"
    }

    /// A person of the staff, by number alone: names are looked up when they are shown.
    package init(_ member: StaffMember) {
        text = Self.staffPrefix + String(member.id)
    }

    /// The number of the person of the staff whom the trail names as `text`; nil for any other actor.
    package static func staff(in text: String) -> UInt64? {
        text.hasPrefix(staffPrefix) ? UInt64(text.dropFirst(staffPrefix.count)) : nil
    }

    /// The name of the API key that the trail names as `text`; nil for any other actor.
    package static func apiKey(in text: String) -> String? {
        guard text.hasPrefix(apiKeyPrefix), let space = text.firstIndex(of: " ") else { return nil }
        return String(text[text.index(after: space)...])
    }

    package var description: String { text }
}
