import Entitlements

extension CatalogueReader {
    private static let commonKeys = ["id", "kind", "source", "app", "stripe", "price", "title", "description"]

    /// The products that could be read, with their indices in the list of the file.
    mutating func products(
        _ catalogue: CatalogueFields, apps: [Catalogue.App]
    ) -> [(index: Int, product: Product)] {
        var products: [(index: Int, product: Product)] = []
        for (index, item) in items("products", in: catalogue, example: "{id: …, kind: pass, …}").enumerated() {
            if let product = product(item, apps: apps) { products.append((index, product)) }
        }
        return products
    }

    private mutating func product(_ item: YAMLNode, apps: [Catalogue.App]) -> Product? {
        guard let (fields, kind) = productFields(item) else { return nil }
        let id = requiredText("id", in: fields, example: "com.example.pass.30d")
        let terms = terms(fields, of: kind)
        let source = choice("source", in: fields, of: SoldThrough.self).map { Source($0.rawValue) } ?? .appleIAP
        let app = app(fields, among: apps)
        let seatsFollowQuantity = kind == .plan && isQuantity("devices", in: fields)
        let devices = seatsFollowQuantity ? nil : integer("devices", in: fields)
        let cardNames = cardNames(fields)
        let price = price(fields)
        let group = optionalText("subscription_group", in: fields, example: "\"21000000\"")
        let titles = texts("title", in: fields)
        let descriptions = texts("description", in: fields)
        guard let id, let terms, let app else { return nil }
        return Product(
            id: ProductID(id), source: source, app: app, terms: terms, devices: devices,
            seatsFollowQuantity: seatsFollowQuantity, cardNames: cardNames, price: price, subscriptionGroup: group,
            titles: titles, descriptions: descriptions)
    }

    /// True for `devices: quantity`, which makes each unit that is sold a seat.
    private func isQuantity(_ key: String, in fields: CatalogueFields) -> Bool {
        guard let node = fields[key], case .text(let text) = node.content else { return false }
        return text == "quantity"
    }

    /// The names of the product in card billing, in the order in which the file lists them.
    private mutating func cardNames(_ fields: CatalogueFields) -> [ProductID] {
        let keys = ["prices", "lookup_keys", "payment_links"]
        guard let node = fields["stripe"], let names = self.fields(of: node, "stripe", known: keys) else { return [] }
        var read: [ProductID] = []
        for key in keys {
            for item in items(key, in: names, example: "price_1") {
                if let name = text(item, "a name under \(key)", example: "\(key): [price_1]") {
                    read.append(ProductID(name))
                }
            }
        }
        return read
    }

    /// The fields of a product, and its kind. The kind is read first, because it decides which keys are allowed.
    private mutating func productFields(_ item: YAMLNode) -> (CatalogueFields, ProductKind)? {
        guard case .mapping(let entries) = item.content else {
            _ = fields(of: item, "a product", known: ["id", "kind"])
            return nil
        }
        let unchecked = CatalogueFields(subject: "a product", line: item.line, entries: entries)
        guard unchecked["kind"] != nil else {
            reportMissing(
                "kind", in: unchecked, example: ProductKind.allCases.map(\.rawValue).joined(separator: " or "))
            return nil
        }
        guard let kind = choice("kind", in: unchecked, of: ProductKind.self) else { return nil }
        let known = Self.commonKeys + Self.termKeys(of: kind)
        return fields(of: item, "a product of kind \(kind.rawValue)", known: known).map { ($0, kind) }
    }

    /// The product's app. A product need not name it if the catalogue has only one.
    private mutating func app(_ fields: CatalogueFields, among apps: [Catalogue.App]) -> AppID? {
        let names = apps.map(\.id.text).joined(separator: " or ")
        if fields["app"] != nil { return optionalText("app", in: fields, example: names).map(AppID.init) }
        if apps.count > 1 {
            report(fields.line, "the catalogue has several apps and this product names none", "write app: \(names)")
        }
        return apps.count == 1 ? apps[0].id : nil
    }

    private mutating func price(_ fields: CatalogueFields) -> Product.Price? {
        guard let node = fields["price"], let price = self.fields(of: node, "a price", known: ["amount", "currency"])
        else { return nil }
        let amount = requiredText("amount", in: price, example: "\"4.99\"")
        let currency = requiredText("currency", in: price, example: "USD")
        guard let amount, let currency else { return nil }
        return Product.Price(amount: amount, currency: currency)
    }

    /// Texts by language tag.
    mutating func texts(_ key: String, in fields: CatalogueFields) -> [String: String] {
        guard let node = fields[key] else { return [:] }
        guard case .mapping(let entries) = node.content else {
            report(
                node.line, "\(key) must be a text for each language, not \(node.kindInWords)",
                "write \(key): {en: \"…\"}")
            return [:]
        }
        var texts: [String: String] = [:]
        for entry in entries {
            if !Self.isLanguageTag(entry.key) {
                report(entry.line, "'\(entry.key)' is not a language tag", "write a tag such as en or zh-Hans")
            }
            texts[entry.key] = text(entry.value, "the \(key) in \(entry.key)", example: "\(entry.key): \"…\"")
        }
        return texts
    }

    /// True for the form of BCP 47: subtags of letters and digits, the first of two or three letters.
    static func isLanguageTag(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.count), language.allSatisfy(isLetter) else {
            return false
        }
        return parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) } }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// The values of `source` in a catalogue.
private enum SoldThrough: String, CaseIterable {
    case appleIAP = "apple_iap"
    case stripe
    case manual
}
