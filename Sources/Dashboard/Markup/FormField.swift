/// A field of a form: its label, its hint, and what stands in it.
struct FormField: Sendable {
    /// The way in which a field takes its value.
    enum Kind: Sendable {
        case line
        case number
        case paragraph
        /// A choice of a few values, which are all seen.
        case choice([Option])
        /// A choice of many values.
        case list([Option])
        case hidden
    }

    /// A value that may be chosen, and what it is called.
    struct Option: Sendable {
        let value: String
        let label: String
    }

    let name: String
    var kind = Kind.line
    var label = ""
    var value: String
    var hint: String?
    var isOptional = false
    /// The most characters that the field takes.
    var longest = 255

    /// The id of the field, to which labels and refusals refer.
    static func id(_ name: String) -> String { "f-" + name }

    /// The field without anything around it, as a form for a confirmation carries it.
    var carried: Markup { Tag.input(.type("hidden"), .name(name), .value(value)) }

    /// The field with its label.
    ///
    /// - Parameter refusal: The sentence about what was typed; nil if it was not refused.
    func markup(_ words: Words, refusal: String?) -> Markup {
        let text = refusal ?? hint
        let hint = text.map { text in
            Tag.small(.id(Self.id(name) + "-hint"), .class(refusal == nil ? "hint" : "bad")) { text }
        }
        switch kind {
        case .hidden: return carried
        case .choice(let options): return choice(options, words, hint, isRefused: refusal != nil)
        case .line, .number, .paragraph, .list:
            return Tag.div(.class("field")) {
                Tag.label(.for(Self.id(name))) { title(words) }
                control(isDescribed: text != nil, isRefused: refusal != nil)
                hint
            }
        }
    }

    private func title(_ words: Words) -> Markup {
        Markup(label) + (isOptional ? Tag.span(.class("muted")) { " " + words.text(.optional) } : .nothing)
    }

    private func control(isDescribed: Bool, isRefused: Bool) -> Markup {
        var attributes: [Attribute] = [.id(Self.id(name)), .name(name)]
        if isDescribed { attributes.append(.described(by: Self.id(name) + "-hint")) }
        if isRefused { attributes.append(.invalid) }
        if !isOptional { attributes.append(.required) }
        switch kind {
        case .paragraph: return Tag.textarea(all: attributes + [.rows(3), .maxlength(longest)]) { "\n" + value }
        case .list(let options):
            return Tag.select(all: attributes) {
                for option in options {
                    Tag.option(all: [.value(option.value)] + (option.value == value ? [.selected] : [])) {
                        option.label
                    }
                }
            }
        case .number:
            attributes += [.class("short"), .inputMode("numeric"), .maxlength(13)]
        case .line, .choice, .hidden: attributes.append(.maxlength(longest))
        }
        return Tag.input(all: attributes + [.type("text"), .value(value), .autocomplete("off"), .plainText]) {}
    }

    private func choice(_ options: [Option], _ words: Words, _ hint: Markup?, isRefused: Bool) -> Markup {
        var attributes: [Attribute] = [.class("field choice"), .id(Self.id(name))]
        if hint != nil { attributes.append(.described(by: Self.id(name) + "-hint")) }
        if isRefused { attributes.append(.invalid) }
        return Tag.fieldset(all: attributes) {
            Tag.legend { title(words) }
            for option in options {
                Tag.label {
                    Tag.input(
                        all: [.type("radio"), .name(name), .value(option.value), .required]
                            + (option.value == value ? [.checked] : [])
                    ) {}
                    Tag.span { Tag.bdi { option.label } }
                }
            }
            hint
        }
    }
}
