/// A JSON value that can be written as a Swift literal. The order of members is kept.
package indirect enum CardJSON: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case text(String)
    case number(Int64)
    case flag(Bool)
    case null
    case array([CardJSON])
    case object([(name: String, value: CardJSON)])

    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral number: Int64) { self = .number(number) }
    package init(booleanLiteral flag: Bool) { self = .flag(flag) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: CardJSON...) { self = .array(elements) }
    package init(dictionaryLiteral members: (String, CardJSON)...) { self = .object(members.map { ($0.0, $0.1) }) }

    package init(_ text: String?) { self = text.map(CardJSON.text) ?? .null }
    package init(_ number: Int64?) { self = number.map(CardJSON.number) ?? .null }
    package init(_ texts: [String: String]) {
        self = .object(texts.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
    }

    /// The object with the members of `other` added or replaced.
    package func with(_ other: CardJSON) -> CardJSON {
        guard case .object(let mine) = self, case .object(let others) = other else { return self }
        return .object(mine.filter { member in !others.contains { $0.name == member.name } } + others)
    }

    package var json: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): String(number)
        case .flag(let flag): flag ? "true" : "false"
        case .null: "null"
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.json }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
