/// A page read by the rules of HTML for the markup that the dashboard writes. Anything else is a fault.
package struct ParsedPage {
    /// The reason why a text is not such a page.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// An element with its attributes, and all text inside.
    package struct Element {
        package let name: String
        package fileprivate(set) var attributes: [String: String]
        package fileprivate(set) var text = ""
    }

    package private(set) var elements: [Element] = []

    private static let void: Set<String> = ["meta", "link", "input", "br"]

    /// Throws ``Fault`` for an element that is not closed, an attribute without quotes, an unknown entity, or a stray
    /// `<` or `>`.
    package init(_ html: String) throws {
        var rest = Substring(html)
        guard rest.hasPrefix("<!doctype html>\n") else { throw Fault(description: "no doctype") }
        rest = rest.dropFirst(16)
        var open: [Int] = []
        while let scalar = rest.unicodeScalars.first {
            guard scalar == "<" else {
                let end = rest.unicodeScalars.firstIndex { $0 == "<" } ?? rest.endIndex
                let text = try Self.decoded(rest[..<end])
                for index in open { elements[index].text += text }
                rest = rest[end...]
                continue
            }
            guard let end = rest.unicodeScalars.firstIndex(where: { $0 == ">" }) else {
                throw Fault(description: "a tag does not end")
            }
            let tag = rest[rest.unicodeScalars.index(after: rest.startIndex)..<end]
            rest = rest[rest.unicodeScalars.index(after: end)...]
            if tag.first == "/" {
                guard let last = open.popLast(), elements[last].name == tag.dropFirst() else {
                    throw Fault(description: "</\(tag.dropFirst())> closes nothing")
                }
            } else {
                let element = try Self.element(tag)
                elements.append(element)
                if !Self.void.contains(element.name) { open.append(elements.count - 1) }
            }
        }
        guard open.isEmpty else { throw Fault(description: "<\(elements[open[0]].name)> is not closed") }
    }

    /// The elements of a name.
    package func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

    /// All text of the page.
    package var text: String { all("body").first?.text ?? "" }

    private static func element(_ tag: Substring) throws -> Element {
        let name = tag.prefix { $0 != " " }
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber }) else {
            throw Fault(description: "<\(tag)> is no tag")
        }
        var element = Element(name: String(name), attributes: [:])
        var rest = tag.dropFirst(name.count)
        while !rest.isEmpty {
            guard rest.first == " " else { throw Fault(description: "<\(tag)>") }
            rest = rest.dropFirst()
            let key = String(rest.prefix { $0 != "=" && $0 != " " })
            rest = rest.dropFirst(key.count)
            guard rest.first == "=" else {
                element.attributes[key] = ""
                continue
            }
            rest = rest.dropFirst()
            guard rest.unicodeScalars.first == "\"" else { throw Fault(description: "<\(tag)>: no quotes") }
            let value = rest.unicodeScalars.dropFirst()
            guard let end = value.firstIndex(of: "\"") else { throw Fault(description: "<\(tag)>: no end quote") }
            guard element.attributes[key] == nil else { throw Fault(description: "<\(tag)>: \(key) twice") }
            element.attributes[key] = try decoded(rest[value.startIndex..<end])
            rest = rest[value.index(after: end)...]
        }
        return element
    }

    private static let entities = ["&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'"]

    private static func decoded(_ text: Substring) throws -> String {
        var decoded = String.UnicodeScalarView()
        var rest = text.unicodeScalars
        while let scalar = rest.first {
            guard scalar != "<", scalar != ">" else { throw Fault(description: "a stray \(scalar)") }
            guard scalar == "&" else {
                decoded.append(scalar)
                rest = rest.dropFirst()
                continue
            }
            guard
                let entity = entities.first(where: {
                    Substring(rest).unicodeScalars.starts(with: $0.key.unicodeScalars)
                })
            else { throw Fault(description: "an unknown entity") }
            decoded.append(contentsOf: entity.value.unicodeScalars)
            rest = rest.dropFirst(entity.key.unicodeScalars.count)
        }
        return String(decoded)
    }
}
