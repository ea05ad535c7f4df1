import Crypto
import StrictJSON

extension SHA256 {
    /// Adds what a JSON value says, whatever its blanks, its escapes and the order of its members: a list is written
    /// with other blanks than a delivery. No two values that say different things add the same bytes.
    mutating func update(with value: JSONValue) {
        if let members = value.members {
            update("{", members.count)
            for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
                update("\"", member.name)
                update(with: member.value)
            }
        } else if let elements = value.elements {
            update("[", elements.count)
            for element in elements { update(with: element) }
        } else if let text = value.string {
            update("\"", text)
        } else {
            // A number, or a word that is written in one way only.
            update("=", String(decoding: value.source, as: UTF8.self))
        }
    }

    private mutating func update(_ mark: String, _ count: Int) {
        update(data: Array("\(mark)\(count):".utf8))
    }

    private mutating func update(_ mark: String, _ text: String) {
        update(mark, text.utf8.count)
        update(data: Array(text.utf8))
    }
}
