import Crypto
import StrictJSON

extension SHA256 {
    /// Adds the content of a JSON value, independent of its white space, escapes and order of members. This is needed
    /// because Stripe writes an event in a list with other white space than in a delivery. Values with different
    /// content never add the same bytes.
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
            // A number, `true`, `false` or `null` is added as it is written.
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
