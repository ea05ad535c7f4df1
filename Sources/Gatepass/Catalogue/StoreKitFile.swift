import AppStore
import Entitlements
import StrictJSON

/// A StoreKit configuration file of Xcode (`.storekit`): the products of an app, without lengths, tiers and credits.
///
/// Formats 1 to 5 are known, and later ones are read in the same way. Only `version.major` and the ids of products are
/// required. Each list may be missing, other members are ignored, and a price stays the text that it is.
struct StoreKitFile: Sendable {
    /// A product that the file lists.
    struct Item: Sendable {
        let id: String
        /// The kind of the product in a catalogue; nil for a type that is not known.
        let kind: ProductKind?
        /// The price as it is written, without a currency.
        let price: String?
        let isFamilyShareable: Bool
        let localizations: [Localization]
        /// The id of a plan's subscription group. The App Store's are numbers; Xcode makes up others.
        let group: String?
    }

    /// The texts of a product in one locale. A text that the file does not have is empty.
    struct Localization: Sendable {
        /// The locale, such as `en_US` or `zh_Hans`.
        let locale: String
        let title: String
        let description: String
    }

    /// The newest format that was tried.
    static let newestFormat = 5
    /// The most bytes of a file; Xcode's have some thousands.
    static let maximumBytes = 16 << 20

    /// The major version of the file's format.
    let format: Int
    /// The passes, then add-ons and consumables, then plans, in the order of the file. Their ids are distinct.
    let items: [Item]
    /// True if the file holds the private key that signs subscription offers. Nothing here keeps the key.
    let hasPrivateKey: Bool

    /// Reads the bytes of a file. `name` is for messages.
    ///
    /// Throws the first fault: a text of another kind, a format without a number, a list that is none, and a product
    /// without an id or with the id of another.
    init(_ bytes: [UInt8], name: String) throws(Fault) {
        let file = FileText(name: name, bytes: bytes)
        guard bytes.count <= Self.maximumBytes else {
            throw file.fault("the file has more than \(Self.maximumBytes >> 20) MB")
        }
        let root = try file.root()
        guard let format = root["version"]?["major"]?.integer.flatMap({ Int($0) }), format > 0 else {
            throw file.fault("this JSON has no version.major, which every StoreKit configuration file has")
        }
        var items: [Item] = []
        var offsets: [String: Int] = [:]
        for product in try file.products(in: root) {
            let item = try Item(product.value, kind: product.kind, group: product.group, in: file)
            let offset = product.value.source.startIndex
            if let first = offsets.updateValue(offset, forKey: item.id) {
                throw file.fault(
                    at: offset, "the product id \(item.id) stands in line \(file.line(of: first)) too",
                    "keep one of the two")
            }
            items.append(item)
        }
        self.format = format
        self.items = items
        hasPrivateKey = root["subscriptionOffersKeyPair"].map { !$0.isNull } ?? false
    }
}

extension StoreKitFile.Item {
    /// Reads a product. Throws a fault if its id is none that a catalogue may have.
    fileprivate init(_ value: JSONValue, kind: ProductKind?, group: JSONValue?, in file: FileText) throws(Fault) {
        let printable = UInt8(ascii: "!")...UInt8(ascii: "~")
        guard let id = value["productID"]?.string, (1...CatalogueCheck.maximumIDLength).contains(id.utf8.count),
            id.utf8.allSatisfy({ printable.contains($0) })
        else {
            throw file.fault(
                at: value.source.startIndex, "a product has no productID that is an id",
                "write 1 to \(CatalogueCheck.maximumIDLength) printable ASCII characters without spaces")
        }
        var localizations: [StoreKitFile.Localization] = []
        for entry in try file.list("localizations", of: value) {
            localizations.append(
                StoreKitFile.Localization(
                    locale: entry["locale"]?.string ?? "", title: entry["displayName"]?.string ?? "",
                    description: entry["description"]?.string ?? ""))
        }
        self.id = id
        self.kind = kind
        price = value["displayPrice"].flatMap { $0.string ?? $0.number }
        isFamilyShareable = value["familyShareable"]?.flag ?? false
        self.localizations = localizations
        self.group = group?["id"]?.string ?? value["subscriptionGroupID"]?.string
    }
}

/// The bytes of a file, which give its faults their lines.
private struct FileText {
    let name: String
    let bytes: [UInt8]

    /// A product of the file with the list's kind and subscription group.
    struct Listed {
        let value: JSONValue
        let kind: ProductKind?
        var group: JSONValue?
    }

    /// The outermost value. Throws a fault if the bytes are no JSON.
    func root() throws(Fault) -> JSONValue {
        do throws(JSONDefect) {
            return JSONValue(try StrictJSON(bytes))
        } catch {
            guard let other = otherKind else { throw fault(of: error) }
            throw fault("this is \(other), and no StoreKit configuration file")
        }
    }

    /// The products of all lists. Throws a fault if a list is none.
    func products(in root: JSONValue) throws(Fault) -> [Listed] {
        var products: [Listed] = []
        for pass in try list("nonRenewingSubscriptions", of: root) { products.append(Listed(value: pass, kind: .pass)) }
        for product in try list("products", of: root) {
            products.append(Listed(value: product, kind: Self.kind(ofType: product["type"]?.string ?? "")))
        }
        for group in try list("subscriptionGroups", of: root) {
            for plan in try list("subscriptions", of: group) {
                products.append(Listed(value: plan, kind: .plan, group: group))
            }
        }
        return products
    }

    private static func kind(ofType type: String) -> ProductKind? {
        switch type {
        case "Consumable": .consumable
        case "NonConsumable": .addOn
        case "NonRenewingSubscription": .pass
        case "RecurringSubscription": .plan
        default: nil
        }
    }

    /// The elements of a list; none if it is missing. Throws a fault if the member is no list.
    func list(_ key: String, of value: JSONValue) throws(Fault) -> [JSONValue] {
        guard let list = value[key], !list.isNull else { return [] }
        guard let elements = list.elements else {
            throw fault(at: list.source.startIndex, "\(key) must be a list", "write \(key): [ ]")
        }
        return elements
    }

    /// The kind of a text that does not begin like a StoreKit configuration file; nil if it does, or is of no known
    /// kind.
    private var otherKind: String? {
        let text = String(decoding: bytes, as: UTF8.self)
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{FEFF}" }
        guard let first else { return "an empty file" }
        guard first != "{" else { return nil }
        switch TextForm(text) {
        case .signed?: return "a text that the App Store signed"
        case .receipt?: return "a receipt of the App Store"
        case .decoded?, .encoded?, .quoted?, nil: break
        }
        // `try?` drops the fault: the text is no YAML either.
        guard let node = try? YAMLNode.parse(yaml: text, fileName: name), case .mapping = node.content else {
            return nil
        }
        return "YAML, such as a catalogue"
    }

    private func fault(of defect: JSONDefect) -> Fault {
        let remedy = "mend it there, or have Xcode save the file again"
        switch defect {
        case .syntax(let offset): return fault(at: offset, "this is not well-formed JSON", remedy)
        case .encoding(let offset), .loneSurrogate(let offset):
            return fault(at: offset, "this is not UTF-8 text", remedy)
        case .duplicateName: return fault("two members of one object have the same name")
        case .tooDeep: return fault("lists and objects are nested more than \(StrictJSON.maximumDepth) deep")
        case .tooManyNames, .nameTooLong:
            return fault("an object has too many members, or one with too long a name")
        }
    }

    /// A fault of the whole file.
    func fault(_ problem: String) -> Fault {
        Fault(place: .named(name), problem: problem, remedy: "name the .storekit file of your Xcode project")
    }

    /// A fault in the line of the byte at `offset`.
    func fault(at offset: Int, _ problem: String, _ remedy: String) -> Fault {
        Fault(place: .file(name, line: line(of: offset)), problem: problem, remedy: remedy)
    }

    func line(of offset: Int) -> Int { 1 + bytes.prefix(offset).count(where: { $0 == UInt8(ascii: "\n") }) }
}
