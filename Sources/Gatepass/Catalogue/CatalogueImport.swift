import Entitlements

/// A catalogue in YAML that is made from a StoreKit configuration file, and the sentences that go with it.
///
/// Whatever comes from the file stands in quotation marks. A value that neither the file nor an option says is left
/// empty, with a comment, so that `catalog check` names the product and the key.
struct CatalogueImport {
    /// The parts of a catalogue that no StoreKit configuration file has.
    struct Additions: Sendable {
        var bundleID: String?
        var tier = "pro"
        /// The currency code of all prices; nil for USD, with a sentence that says so.
        var currency: String?
        /// The days of passes by product id.
        var days: [String: Int] = [:]
        /// The credits of consumables by product id.
        var credits: [String: Int] = [:]
    }

    /// A line of a product, and the comment behind it.
    private struct Line {
        let text: String
        var comment = ""
    }

    /// The tier of users who bought nothing.
    static let freeTier = "free"

    /// The catalogue.
    private(set) var text = ""
    /// The sentences for whoever goes on with the catalogue, without full stops.
    private(set) var notes: [String] = []

    private let file: StoreKitFile
    private let additions: Additions
    /// The number of products whose ids end with a component.
    private let components: [String: Int]
    /// The subscription groups that plans had so far.
    private var groups: Set<String> = []

    /// Makes the catalogue. Throws a fault if an option names a product that is missing or of another kind.
    init(_ file: StoreKitFile, adding additions: Additions) throws(Fault) {
        try Self.require(additions.days.keys, of: "--pass", toBe: .pass, in: file)
        try Self.require(additions.credits.keys, of: "--credits", toBe: .consumable, in: file)
        self.file = file
        self.additions = additions
        components = Dictionary(file.items.map { (Self.lastComponent(of: $0.id), 1) }, uniquingKeysWith: +)
        write()
    }

    private static func require(
        _ ids: some Sequence<String>, of option: String, toBe kind: ProductKind, in file: StoreKitFile
    ) throws(Fault) {
        let known = file.items.filter { $0.kind == kind }.map(\.id)
        for id in ids.sorted() where !known.contains(id) {
            var problem = "the file has no product \(id)"
            if let other = file.items.first(where: { $0.id == id }) {
                problem = "\(id) is of kind \(other.kind?.rawValue ?? "unknown"), not \(kind.rawValue)"
            }
            let others = known.isEmpty ? "leave it out" : "write one of \(known.joined(separator: ", "))"
            let nearest = NearestName.nearest(to: id, among: known)
            throw Fault(place: .named(option), problem: problem, remedy: nearest.map { "write \($0)" } ?? others)
        }
    }

    private mutating func write() {
        if file.format > StoreKitFile.newestFormat {
            notes.append(
                "the file has format \(file.format), and \(StoreKitFile.newestFormat) is the newest that was tried: "
                    + "compare the catalogue with what Xcode shows")
        }
        if file.hasPrivateKey {
            notes.append("the file holds a private key (subscriptionOffersKeyPair): keep it out of your repository")
        }
        if additions.bundleID == nil { noteMissing("bundle_id", of: "the app", option: "--bundle-id") }
        let bundleID = additions.bundleID.map { " " + YAMLNode.quoted($0) } ?? "  # fill in, such as com.example.app"
        var lines = [
            "apps:", "  - bundle_id:" + bundleID, "default_tier: \(Self.freeTier)", "tiers:",
            "  - {id: \(Self.freeTier), rank: 0, features: []}", "  - {id: \(tier), rank: 1, features: []}",
        ]
        var products: [String] = []
        for item in file.items {
            if let product = product(item) { products.append(product) }
        }
        lines.append(products.isEmpty ? "products: []" : "products:")
        text = (lines + products).joined(separator: "\n")
        if products.isEmpty { notes.append("the file sells nothing that a catalogue can have") }
        if additions.currency == nil, file.items.contains(where: { $0.price != nil }) {
            notes.append("prices are in USD, because no StoreKit file has a currency: give --currency for another")
        }
        if file.items.contains(where: { $0.kind == .plan }) {
            notes.append("the periods of plans are not written, because the App Store says when each one ends")
        }
    }

    private var tier: String { YAMLNode.quoted(additions.tier) }

    private mutating func noteMissing(_ key: String, of subject: String, option: String) {
        notes.append("\(subject) has no \(key), because no StoreKit file has one: fill it in, or give \(option)")
    }

    // MARK: Products

    /// The lines of a product; nil, and a note, if it is of no known kind.
    private mutating func product(_ item: StoreKitFile.Item) -> String? {
        guard let kind = item.kind else {
            notes.append("\(item.id) is left out, because its type is not known")
            return nil
        }
        let lines = terms(of: item, kind) + price(of: item) + texts(of: item)
        let ended = lines.enumerated().map { index, line in
            line.text + (index == lines.count - 1 ? "}" : ",") + line.comment
        }
        return "  - {" + ended.joined(separator: "\n     ")
    }

    private mutating func terms(of item: StoreKitFile.Item, _ kind: ProductKind) -> [Line] {
        let head = "id: \(YAMLNode.quoted(item.id)), kind: \(kind.rawValue), "
        let shared = item.isFamilyShareable ? ", family_shareable: true" : ""
        switch kind {
        case .pass:
            let days = additions.days[item.id].map { "\($0)d" }
            return lines(
                head + "tier: \(tier)", "duration", days, of: item, example: "30d", option: "--pass ID=30d")
        case .addOn:
            return [Line(text: head + "features: [\(YAMLNode.quoted(name(of: item)))]" + shared)]
        case .consumable:
            let credits = additions.credits[item.id].map { "\($0)" }
            return lines(
                head + "unit: credit", "amount", credits, of: item, example: "100", option: "--credits ID=100")
        case .plan:
            let planID = planID(of: item).map { "plan_id: \(YAMLNode.quoted($0)), " } ?? ""
            let group = group(of: item).map { ", subscription_group: \(YAMLNode.quoted($0))" } ?? ""
            return [Line(text: head + planID + "tier: \(tier)" + shared + group)]
        }
    }

    /// The terms with a value that only an option says. Without it the key stands empty in a line of its own.
    private mutating func lines(
        _ terms: String, _ key: String, _ value: String?, of item: StoreKitFile.Item, example: String, option: String
    ) -> [Line] {
        if let value { return [Line(text: "\(terms), \(key): \(value)")] }
        noteMissing(key, of: item.id, option: option)
        return [Line(text: terms), Line(text: "\(key): ", comment: "  # fill in, such as \(example)")]
    }

    /// The plan id, after which the catalogue may count devices; nil if the reader would refuse it.
    private mutating func planID(of item: StoreKitFile.Item) -> String? {
        let planID = name(of: item)
        if let plan = PlanID(planID) {
            notes.append(
                "\(item.id) is for \(plan.seats.counted("device")), because its plan_id is \(planID): "
                    + "write another one if it is not")
        }
        return CatalogueReader.namesNoSeats(planID) ? nil : planID
    }

    private mutating func group(of item: StoreKitFile.Item) -> String? {
        guard let group = item.group else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        if !group.utf8.allSatisfy({ digits.contains($0) }), groups.insert(group).inserted {
            notes.append(
                "the subscription_group of \(item.id) is Xcode's own: write the number that the group has in the "
                    + "App Store")
        }
        return group
    }

    /// The last component of the id, such as `xyz` of `com.example.addon.xyz`; the whole id if another product has the
    /// same one.
    private func name(of item: StoreKitFile.Item) -> String {
        let component = Self.lastComponent(of: item.id)
        return components[component] == 1 ? component : item.id
    }

    private static func lastComponent(of id: String) -> String {
        id.split(separator: ".").last.map(String.init) ?? id
    }

    private mutating func price(of item: StoreKitFile.Item) -> [Line] {
        guard let price = item.price else { return [] }
        guard CatalogueCheck.isDecimal(price) else {
            notes.append("\(item.id) is written without its price, which is no decimal number such as 4.99")
            return []
        }
        return [Line(text: "price: {amount: \(YAMLNode.quoted(price)), currency: \(additions.currency ?? "USD")}")]
    }

    // MARK: Texts

    private mutating func texts(of item: StoreKitFile.Item) -> [Line] {
        var tags: Set<String> = []
        var titles: [String] = []
        var descriptions: [String] = []
        for localization in item.localizations {
            guard let tag = Self.tag(of: localization.locale, besides: tags) else {
                notes.append("\(item.id) is written without the texts of a locale that is no language, or comes twice")
                continue
            }
            tags.insert(tag)
            if !localization.title.isEmpty { titles.append("\(tag): \(YAMLNode.quoted(localization.title))") }
            if !localization.description.isEmpty {
                descriptions.append("\(tag): \(YAMLNode.quoted(localization.description))")
            }
        }
        let texts = [("title", titles), ("description", descriptions)].filter { !$0.1.isEmpty }
        return texts.map { Line(text: "\($0.0): {\($0.1.joined(separator: ", "))}") }
    }

    /// The longest language tag that is written; RFC 5646 §4.4.1 names 35 characters as enough.
    private static let maximumTagBytes = 35

    /// The language tag of a locale such as `en_US` or `zh_Hans`; nil if it is no language, or taken.
    ///
    /// The first locale of a language stands for all its regions, so that `en_US` becomes `en`. A further one keeps its
    /// region.
    private static func tag(of locale: String, besides taken: Set<String>) -> String? {
        let tag = String(locale.map { $0 == "_" ? "-" : $0 })
        guard tag.utf8.count <= maximumTagBytes, CatalogueReader.isLanguageTag(tag) else { return nil }
        let subtags = tag.split(separator: "-")
        // A script has four letters, and a variant of four characters begins with a digit (RFC 5646 §2.1).
        let hasScript = subtags.count > 1 && subtags[1].count == 4 && subtags[1].allSatisfy(\.isLetter)
        let language = subtags.prefix(hasScript ? 2 : 1).joined(separator: "-")
        return [language, tag].first { !taken.contains($0) }
    }
}
