import Entitlements
import NIOCore

/// The products of one app in one language. A missing text is given in another language (`api.md`, "Products").
struct ProductsBody {
    /// The stores whose products are listed; the raw value is that of the query's `source`.
    enum Stores: String, CaseIterable {
        case appleIAP = "apple_iap"
        case stripe
        case all

        /// The products of `app` that these stores sell, in the order of the catalogue.
        func products(of app: AppID, in catalogue: Catalogue) -> [Product] {
            catalogue.products.filter { product in
                guard product.app == app else { return false }
                switch self {
                case .appleIAP: return product.sources.contains(.appleIAP)
                case .stripe: return product.sources.contains(.stripe)
                case .all: return !product.sources.isEmpty
                }
            }
        }
    }

    let bytes: ByteBuffer
    let entityTag: EntityTag
    /// The languages of the texts, in ascending order.
    let languages: [String]

    init(_ version: CatalogueVersions.Version, app: AppID, soldBy stores: Stores, language: String?) {
        let wanted = AcceptLanguage(language)
        var json = JSONWriter(capacity: 4096)
        var languages: Set<String> = []
        json.beginObject()
        json.member("catalog_version", version.number)
        json.name("products")
        json.beginArray()
        for product in stores.products(of: app, in: version.catalogue) {
            let title = wanted.best(of: product.titles)
            let description = wanted.best(of: product.descriptions)
            languages.formUnion([title?.tag, description?.tag].compactMap { $0 })
            json.append(product, title: title?.text, description: description?.text, in: version.catalogue)
        }
        json.endArray()
        json.name("tiers")
        json.array(version.catalogue.tiers) { json, tier in
            let title = wanted.best(of: tier.titles)
            if let title { languages.insert(title.tag) }
            json.append(tier, title: title?.text)
        }
        json.endObject()
        bytes = ByteBuffer(bytes: json.bytes)
        entityTag = EntityTag(of: json.bytes)
        self.languages = languages.sorted()
    }
}

extension JSONWriter {
    fileprivate mutating func append(
        _ product: Product, title: String?, description: String?, in catalogue: Catalogue
    ) {
        let offer = Offer(product, in: catalogue)
        beginObject()
        member("product_id", product.id.text)
        member("kind", product.terms.kind.rawValue)
        member("title", title)
        member("description", description)
        name("sources")
        array(product.sources) { $0.value($1.text) }
        append(product.price)
        member("tier", product.terms.tier?.text)
        member("duration_days", offer.durationDays)
        member("duration_seconds", offer.durationDays.map { $0 * 86_400 })
        name("features")
        array(offer.features) { $0.value($1.text) }
        append(offer.credits)
        member("devices", offer.devices)
        member("period", offer.period)
        member("plan_id", offer.planID)
        endObject()
    }

    fileprivate mutating func append(_ tier: Tier, title: String?) {
        beginObject()
        member("tier", tier.id.text)
        member("rank", tier.rank)
        member("title", title)
        endObject()
    }

    private mutating func append(_ price: Product.Price?) {
        name("price")
        guard let price else { return null() }
        beginObject()
        member("amount", price.amount)
        member("currency", price.currency)
        endObject()
    }

    private mutating func append(_ credits: (unit: String, amount: Int)?) {
        name("credits")
        guard let credits else { return null() }
        beginObject()
        member("unit", credits.unit)
        member("amount", credits.amount)
        endObject()
    }
}

/// The part of the answer that says what a product gives.
private struct Offer {
    var durationDays: Int?
    var features: [Feature] = []
    var credits: (unit: String, amount: Int)?
    var devices: Int?
    var period: String?
    var planID: String?

    init(_ product: Product, in catalogue: Catalogue) {
        let terms = product.terms
        let tier = catalogue.tiers.first { $0.id == terms.tier }
        switch terms {
        case .pass(_, let days, _):
            durationDays = days
            features = tier?.features ?? []
            devices = product.seats ?? tier?.devices
        case .addOn(let unlocked, _, let seats, _):
            features = unlocked
            devices = seats > 0 ? seats : nil
        case .consumable(let unit, let amount, _):
            credits = (unit, amount)
        case .plan(_, let planID, _):
            let plan = planID.flatMap { PlanID($0) }
            features = tier?.features ?? []
            devices = product.seats ?? tier?.devices
            period = plan?.period.rawValue
            self.planID = planID
        }
    }
}
