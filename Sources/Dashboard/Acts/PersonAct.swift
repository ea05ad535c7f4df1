import EntitlementAPI
import Entitlements
import LedgerStore

/// An act on a person, as a page offers it: its fields, and what they ask for.
protocol PersonAct: Sendable {
    /// The last part of the page's path.
    static var path: String { get }
    /// The right that the API's route for the same act asks for.
    static var scope: APIKeyScope { get }
    static var title: Phrase { get }
    /// The sentence about the act in the list of all acts.
    static var hint: Phrase { get }
    /// True for an act that takes something away.
    static var isTaking: Bool { get }
    /// The fields of the form, with the values that were typed, or those that fit the person.
    static func fields(_ desk: Desk) -> [FormField]
    /// The act that the form's values ask for.
    static func read(_ desk: Desk) -> Result<Proposal, ActRefusal>
}

extension PersonAct {
    static var scope: APIKeyScope { .write }
    static var isTaking: Bool { false }
}

/// An act that a form asks for, and its names.
struct Proposal: Sendable {
    let act: PreparedAct
    /// The text of the button that carries it out, such as `Give 3 days of pro`.
    let button: String
    /// The sentence that is said afterwards.
    let done: String
}

/// Everything that a form about a person is made of: the person as they are now, and what was typed.
struct Desk: Sendable {
    /// The most purchases that a list offers, the newest first.
    private static let mostOffered = 200

    let visit: SignedVisit
    let user: UserID
    let ledger: UserLedger
    let timeline: Timeline
    let labels: Labels
    /// The devices whose ids are known.
    let devices: [(device: Device, id: DeviceID, name: String)]
    let form: FormText
    let formID: FormID

    /// Reads the person.
    ///
    /// - Throws: `unavailable`.
    init(_ visit: SignedVisit, _ user: UserID, _ form: FormText, as formID: FormID) async throws(Problem) {
        let (ledger, context, labels) = try await visit.served { store in
            let ledger = try await store.reader.ledger(of: user)
            return (ledger, store.foldContext, store.labels)
        }
        let timeline = Timeline(
            folding: ledger, given: context.catalogue, settings: context.settings, testersAt: visit.now)
        let known = timeline.devices(at: visit.now).onRecord
        let digests = Set(ledger.entries.compactMap { $0.fact.isAboutDevice ? $0.note : nil })
        let notes =
            known.isEmpty ? [:] : try await visit.served { try await $0.reader.notes(digests) }
        let names = DeviceNames(of: ledger, notes)
        devices = known.compactMap { device in
            guard let id = DeviceID(names.name(device.id)), labels.label(.device, user.text, id.text) == device.id
            else { return nil }
            let name = device.words.flatMap { notes[$0]?.deviceName?.text }
            return (device, id, name ?? id.text)
        }
        self.visit = visit
        self.user = user
        self.ledger = ledger
        self.timeline = timeline
        self.labels = labels
        self.form = form
        self.formID = formID
    }

    var words: Words { visit.words }
    var names: Names { Names(words: words, catalogue: timeline.catalogue) }
    var catalogue: Catalogue { timeline.catalogue.inForce(at: visit.now).catalogue }
    /// The user as the one to whom the staff member acts.
    var principal: Principal { Principal(user: user, actor: Actor(visit.member)) }

    /// The label of the act that the form asks for; the same values give the same label.
    func label(_ kind: Labels.Kind, of act: String, _ values: String...) -> Label {
        formID.label(kind, of: act, by: visit.member, [user.text] + values, under: labels)
    }

    // MARK: Fields that several acts have

    var reasonField: FormField {
        FormField(
            name: "reason", kind: .paragraph, label: words.text(.fieldReason), value: form["reason"],
            hint: words.text(.reasonHint), longest: Note.longestReason)
    }

    var referenceField: FormField {
        FormField(
            name: "reference", label: words.text(.fieldReference), value: form["reference"],
            hint: words.text(.referenceHint))
    }

    /// A field for another user.
    func userField(_ label: Phrase, _ hint: Phrase) -> FormField {
        FormField(
            name: "user", label: words.text(label), value: form["user"], hint: words.text(hint),
            longest: UserID.maximumLength)
    }

    /// The reason that was typed.
    func reason() -> Result<String, ActRefusal> { text("reason", .refusedReason, longest: Note.longestReason) }

    func reference() -> Result<String, ActRefusal> { text("reference", .refusedReference, longest: 255) }

    private func text(_ name: String, _ phrase: Phrase, longest: Int) -> Result<String, ActRefusal> {
        let text = form[name]
        guard (1...longest).contains(text.unicodeScalars.count) else {
            return .failure(ActRefusal(phrase, ["n": String(longest)], field: name))
        }
        return .success(text)
    }

    /// The whole number that was typed, within `bounds`.
    func number(
        _ name: String, in bounds: ClosedRange<Int>, orElse phrase: Phrase
    ) -> Result<Int, ActRefusal> {
        guard let number = Int(form[name]), bounds.contains(number) else {
            return .failure(ActRefusal(phrase, ["n": words.number(bounds.upperBound)], field: name))
        }
        return .success(number)
    }

    /// The user who was typed.
    func otherUser() -> Result<UserID, ActRefusal> {
        UserID(form["user"]).map { .success($0) } ?? .failure(ActRefusal(.refusedUser, field: "user"))
    }

    // MARK: Purchases

    /// The text that names a purchase in a form and in a link.
    static func name(of key: PurchaseKey) -> String {
        [key.source.text, key.app.text, key.environment.rawValue, key.externalID.text].joined(separator: " ")
    }

    /// The purchases that the user has, and that `fits` holds for, the newest first.
    func held(_ fits: (Purchase) -> Bool = { _ in true }) -> [Purchase] {
        timeline.purchases.reversed().filter { $0.isHeld && fits($0) }
    }

    /// A field that names one of these purchases.
    func purchaseField(of purchases: [Purchase], first: [FormField.Option] = []) -> FormField {
        let named = purchases.filter { Self.name(of: $0.key) == form.exact("purchase") }
        let offered = named + purchases.filter { Self.name(of: $0.key) != form.exact("purchase") }
        let options = offered.prefix(Self.mostOffered).map { purchase in
            let sandbox = purchase.key.environment == .sandbox ? " [" + words.text(.sandbox) + "]" : ""
            return FormField.Option(
                value: Self.name(of: purchase.key),
                label: names.purchase(purchase) + sandbox + " · " + purchase.key.externalID.text)
        }
        return FormField(
            name: "purchase", kind: .list(first + options), label: words.text(.fieldPurchase),
            value: form.exact("purchase"))
    }

    /// The purchase that was chosen among these.
    func purchase(of purchases: [Purchase]) -> Result<Purchase, ActRefusal> {
        purchases.first { Self.name(of: $0.key) == form.exact("purchase") }.map { .success($0) }
            ?? .failure(ActRefusal(.refusedPurchase, field: "purchase"))
    }
}

extension Fact {
    fileprivate var isAboutDevice: Bool {
        guard case .device = self else { return false }
        return true
    }
}

extension Result where Failure == ActRefusal {
    /// The value; nil for a refusal.
    var value: Success? {
        guard case .success(let value) = self else { return nil }
        return value
    }
}
