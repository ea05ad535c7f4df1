/// A form that posts, with an id of its own. It keeps what was typed when it is refused.
struct FormSheet {
    let action: Link
    let formID: FormID
    let fields: [FormField]
    var refusal: ActRefusal?

    /// The sentence about a refusal above the form, with a link to its field.
    func banner(_ words: Words) -> Markup {
        guard let refusal else { return .nothing }
        let isShown = fields.contains { $0.name == refusal.field }
        return Tag.div(.class("banner refused"), .role("alert")) {
            Tag.p { refusal.text(words) }
            if isShown, let field = refusal.field {
                Tag.a(.href(Link(fragment: FormField.id(field)))) { words.text(.toField) }
            }
        }
    }

    func markup(_ words: Words, token: String, button: String, isFirst: Bool = true) -> Markup {
        Shell.form(action, token) {
            formID.carried
            for field in fields {
                field.markup(words, refusal: field.name == refusal?.field ? refusal?.text(words) : nil)
            }
            Tag.button(.class(isFirst ? "button first" : "button"), .type("submit")) { button }
        }
    }
}

extension FormID {
    /// The field that keeps the id.
    var carried: Markup { Tag.input(.type("hidden"), .name(Self.field), .value(text)) }
}
