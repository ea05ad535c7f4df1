import EntitlementAPI
import Entitlements
import LedgerStore

/// The id of a form, which is kept from the first look at it to the act. The act's own id is made of it, so the same
/// form sent any number of times acts once.
struct FormID: Hashable, Sendable {
    static let field = "form_id"
    private static let byteCount = 16

    let text: String

    /// The id of a form that is shown for the first time.
    init(new visit: SignedVisit) {
        text = Base64URL.encode(visit.visit.dashboard.newToken().prefix(Self.byteCount))
    }

    /// The id that a form carries; nil if it carries none of this shape.
    init?(in form: FormText) {
        let text = form.exact(Self.field)
        guard Base64URL.decode(Array(text.utf8))?.count == Self.byteCount else { return nil }
        self.text = text
    }

    /// The label of an act that a person of the staff asks for with this form. The same values give the same label.
    func label(
        _ kind: Labels.Kind, of act: String, by member: StaffMember, _ values: [String], under labels: Labels
    ) -> Label {
        let asked = values.map { "\($0.utf8.count) \($0)" }.joined()
        return labels.label(kind, "dashboard", act, String(member.id), text, asked)
    }
}
