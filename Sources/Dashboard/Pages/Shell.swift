import Entitlements
import LedgerStore

/// The frame of every page: landmarks, the side bar, the search box.
enum Shell {
    /// The contents of the frame.
    struct Frame {
        let words: Words
        /// Whoever is signed in; nil on pages for anybody, and while the database is away.
        var member: StaffMember?
        var formToken = ""
        /// The text in the search box.
        var searched = ""
        /// True on the start page, whose own search box takes the place of the frame's.
        var isStart = false
        /// The page of the side bar that this one is.
        var place: Destination?
        /// The work that waits; nil if it is not known.
        var work: WorkCounts?
    }

    /// A page with the side bar and the search box.
    static func document(_ title: String, _ frame: Frame, content: Markup) -> Markup {
        let words = frame.words
        return html(title, frame) {
            Tag.a(.class("skip"), .href(Link(fragment: "content"))) { words.text(.skipToContent) }
            Tag.div(.class("frame")) {
                Tag.header(.class("side")) {
                    Tag.a(.class("brand"), .href(Link())) {
                        mark
                        Tag.span { "Gatepass" }
                    }
                    Tag.nav(.ariaLabel(words.text(.navigation))) {
                        SideBar.markup(frame)
                    }
                    if let member = frame.member { who(member, frame) }
                }
                Tag.div(.class("column")) {
                    if frame.member != nil, !frame.isStart { search(frame) }
                    Tag.main(.id("content")) { content }
                }
            }
        }
    }

    /// A page without the side bar, for whoever is not signed in.
    static func bare(_ title: String, _ words: Words, content: Markup) -> Markup {
        html(title, Frame(words: words)) {
            Tag.main(.class("bare")) {
                Tag.p(.class("brand")) {
                    mark
                    Tag.span { "Gatepass" }
                }
                content
            }
        }
    }

    private static func html(_ title: String, _ frame: Frame, @MarkupBuilder content: () -> Markup) -> Markup {
        let theme = frame.member?.theme ?? .system
        let attributes: [Attribute] =
            [.lang(frame.words.language.tag)] + (theme == .system ? [] : [.theme(theme.rawValue)])
        return Tag.html(all: attributes) {
            Tag.head {
                Tag.meta(.charset)
                Tag.title { title + " · Gatepass" }
                Tag.meta(.name("viewport"), .content("width=device-width, initial-scale=1"))
                Tag.meta(.name("color-scheme"), .content("light dark"))
                Tag.link(.rel("stylesheet"), .href(Stylesheet.link))
            }
            Tag.body(content: content)
        }
    }

    private static func who(_ member: StaffMember, _ frame: Frame) -> Markup {
        Tag.div(.class("who")) {
            Tag.strong { Tag.bdi { member.name } }
            Tag.small {
                frame.words.text(member.role.word)
                " · "
                frame.words.zone.name
            }
            Tag.a(.class("as-link"), .href(Link("account"))) { frame.words.text(.accountLink) }
            form(Link("sign-out"), frame.formToken) {
                Tag.button(.class("as-link"), .type("submit")) { frame.words.text(.signOut) }
            }
        }
    }

    private static func search(_ frame: Frame) -> Markup {
        Tag.form(.class("search"), .role("search"), .method("get"), .action(Link("search"))) {
            magnifier
            Tag.input(
                .type("search"), .name("q"), .value(frame.searched), .ariaLabel(frame.words.text(.searchLabel)),
                .placeholder(frame.words.text(.searchHint)), .maxlength(OperatorReader.maximumQueryLength),
                .autocomplete("off"), .plainText)
            Tag.button(.type("submit")) { frame.words.text(.find) }
        }
    }

    /// A form that posts, with the token without which it is refused.
    static func form(_ action: Link, _ token: String, @MarkupBuilder content: () -> Markup) -> Markup {
        Tag.form(.method("post"), .action(action)) {
            Tag.input(.type("hidden"), .name(FormText.token), .value(token))
            content()
        }
    }

    // MARK: Parts

    /// A panel: a section that is named by its heading.
    static func panel(
        _ id: String, _ title: String, aside: Markup = .nothing, @MarkupBuilder content: () -> Markup
    ) -> Markup {
        Tag.section(.class("panel"), .labelled(by: id)) {
            Tag.div(.class("panel-head")) {
                Tag.h2(.id(id)) { title }
                if !aside.isEmpty { Tag.small(.class("aside")) { aside } }
            }
            content()
        }
    }

    /// An empty list: a sentence that says so, and one about how it is filled.
    static func empty(_ words: Words, _ phrase: Phrase, _ hint: Phrase) -> Markup {
        Tag.div(.class("empty")) {
            Tag.p { Tag.strong { words.text(phrase) } }
            Tag.p { words.text(hint) }
        }
    }

    /// The mark of everything from a Sandbox.
    static func sandbox(_ words: Words) -> Markup { Tag.span(.class("sandbox")) { words.text(.sandbox) } }

    static func sandbox(_ words: Words, if environment: StoreEnvironment?) -> Markup {
        environment == .sandbox ? Markup(" ") + sandbox(words) : .nothing
    }

    /// The head of a table.
    static func head(_ words: Words, _ columns: [Phrase]) -> Markup {
        Tag.thead(.role("rowgroup")) {
            Tag.tr(.role("row")) {
                for column in columns {
                    Tag.th(all: [.scope("col"), .role("columnheader")] + (column.style.map { [.class($0)] } ?? [])) {
                        words.text(column)
                    }
                }
            }
        }
    }

    /// The row of a table.
    static func row(@MarkupBuilder content: () -> Markup) -> Markup { Tag.tr(.role("row"), content: content) }

    /// A cell, which says its column where a row is a record of its own.
    static func cell(
        _ words: Words, _ column: Phrase, _ style: String = "", @MarkupBuilder content: () -> Markup
    ) -> Markup {
        Tag.td(
            all: [.role("cell"), .label(words.text(column))] + (style.isEmpty ? [] : [.class(style)]), content: content)
    }

    /// The cell that names a row.
    static func name(_ words: Words, _ column: Phrase, @MarkupBuilder content: () -> Markup) -> Markup {
        Tag.th(.scope("row"), .role("rowheader"), .label(words.text(column)), content: content)
    }

    private static let mark = Tag.svg(
        .class("mark"), .width(.px(24)), .height(.px(24)), .viewBox("0 0 24 24"), .hidden, .noFocus
    ) {
        Tag.rect(.class("mark-ground"), .width(.px(24)), .height(.px(24)), .rx(.px(6)))
        Tag.path(.class("mark-line"), .d("M7 18V11a5 5 0 0 1 10 0v7M12 18v-5"))
    }

    static let magnifier = Tag.svg(
        .class("magnifier"), .width(.px(20)), .height(.px(20)), .viewBox("0 0 20 20"), .hidden, .noFocus
    ) {
        Tag.circle(.cx(.px(9)), .cy(.px(9)), .r(.px(5)))
        Tag.path(.d("M13 13l4 4"))
    }
}

extension Phrase {
    /// The class of a column with this head; nil for one that begins at the left.
    fileprivate var style: String? {
        switch self {
        case .columnSettles, .columnActs: "settles"
        case .columnPaid, .columnPrice, .columnUsers, .columnCredited, .columnSpent, .columnRefunded: "amount"
        default: nil
        }
    }
}

extension StaffRole {
    var word: Phrase {
        switch self {
        case .viewer: .roleViewer
        case .support: .roleSupport
        case .owner: .roleOwner
        }
    }
}
