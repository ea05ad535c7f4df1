import EntitlementAPI
import Entitlements

/// The filters of a list: fields of a form that asks by GET, and the query that keeps them in links.
struct ListFilters {
    /// A field of the form.
    private struct Field {
        let name: String
        let label: Phrase
        let typed: String
        /// The values to choose from, with their texts; nil for a field to type in.
        var options: [(value: String, text: String)]?
        var hint: Phrase?
        var isMistyped = false
        /// The value without which the list is not filtered.
        var usual = ""
    }

    /// The part of the list's address behind `/dashboard`.
    let path: String
    let query: FormText
    let words: Words
    private var fields: [Field] = []

    init(_ path: String, _ visit: SignedVisit) {
        (self.path, query, words) = (path, visit.query, visit.words)
    }

    /// True if something was typed that cannot be read, and is left out.
    var isMistyped: Bool { fields.contains(where: \.isMistyped) }

    /// The number of filters that are set.
    var count: Int { pairs.count }

    /// The number before which the page begins.
    var before: UInt64? { UInt64(query["before"]) }

    // MARK: Fields

    /// The chosen case; nil for any.
    mutating func choice<Value: CaseIterable & RawRepresentable<String>>(
        _ name: String, _ label: Phrase, orElse none: Value? = nil, calling text: (Value) -> String
    ) -> Value? {
        let chosen = Value(rawValue: query[name]) ?? none
        fields.append(
            Field(
                name: name, label: label, typed: chosen?.rawValue ?? "",
                options: (none == nil ? [("", words.text(.anyOfThem))] : [])
                    + Value.allCases.map { ($0.rawValue, text($0)) }, usual: none?.rawValue ?? ""))
        return chosen
    }

    /// The chosen one of `options`; nil for any.
    mutating func choice(_ name: String, _ label: Phrase, among options: [(value: String, text: String)]) -> String? {
        let typed = query[name]
        let chosen = options.contains { $0.value == typed } ? typed : nil
        fields.append(
            Field(
                name: name, label: label, typed: chosen ?? "",
                options: [("", words.text(.anyOfThem))] + options.filter { !$0.value.isEmpty },
                isMistyped: chosen == nil && !typed.isEmpty))
        return chosen.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The instant that was typed; nil for any. A date alone is its beginning, or its end with `isEnd`.
    mutating func instant(_ name: String, _ label: Phrase, isEnd: Bool = false) -> Instant? {
        let typed = query[name]
        let isDay = typed.utf8.count == 10
        let instant = words.instant(typed: typed).map { isEnd && isDay ? $0 + Instant.millisecondsPerDay : $0 }
        fields.append(
            Field(
                name: name, label: label, typed: typed, hint: .dateHint,
                isMistyped: instant == nil && !typed.isEmpty))
        return instant
    }

    /// The user that was typed; nil for any. With `isErasedToo`, also `#` and the number of an erased person.
    mutating func user(_ name: String, isErasedToo: Bool = false) -> UserID? {
        let typed = query[name]
        let user = UserID(typed) ?? (isErasedToo ? UserID(pseudonym: typed) : nil)
        fields.append(
            Field(name: name, label: .columnCustomer, typed: typed, isMistyped: user == nil && !typed.isEmpty))
        return user
    }

    /// The text that was typed; nil for any.
    mutating func text(_ name: String, _ label: Phrase, upTo limit: Int, hint: Phrase? = nil) -> String? {
        let typed = query[name]
        let isTooLong = typed.unicodeScalars.count > limit
        fields.append(Field(name: name, label: label, typed: typed, hint: hint, isMistyped: isTooLong))
        return typed.isEmpty || isTooLong ? nil : typed
    }

    // MARK: Links and markup

    private var pairs: [(name: String, value: String)] {
        fields.compactMap { $0.typed == $0.usual ? nil : ($0.name, $0.typed) }
    }

    /// The link to the list under these filters.
    func link(_ further: [(name: String, value: String)] = [], to path: String? = nil) -> Link {
        Link(path ?? self.path, query: pairs + further)
    }

    var markup: Markup {
        guard !fields.isEmpty else { return .nothing }
        return Tag.form(.class("filters"), .method("get"), .action(Link(path))) {
            for field in fields { markup(of: field) }
            Tag.button(.class("button small"), .type("submit")) { words.text(.show) }
            if count > 0 { Tag.a(.class("clear"), .href(Link(path))) { words.text(.clearFilters) } }
        }
    }

    private func markup(of field: Field) -> Markup {
        let id = "filter-" + field.name
        return Tag.div(.class("filter")) {
            Tag.label(.for(id)) { words.text(field.label) }
            if let options = field.options {
                Tag.select(.id(id), .name(field.name)) {
                    for option in options {
                        Tag.option(all: [.value(option.value)] + (option.value == field.typed ? [.selected] : [])) {
                            option.text
                        }
                    }
                }
            } else {
                Tag.input(
                    all: [
                        .id(id), .name(field.name), .type("text"), .value(field.typed), .autocomplete("off"),
                        .plainText,
                    ] + (field.hint.map { [.placeholder(words.text($0))] } ?? [])
                        + (field.isMistyped ? [.invalid, .described(by: "mistyped")] : [])
                ) {}
            }
        }
    }
}
