import EntitlementAPI
import Entitlements
import Hummingbird
import LedgerStore

/// `GET /dashboard/catalogue`: the catalogue in force, and what each version changed.
enum CataloguePage {
    /// The most versions that the page lists.
    private static let versions = 50

    /// - Throws: `unavailable`.
    static func show(_ visit: SignedVisit) async throws(Problem) -> Response {
        let cells = try await ListCells(visit)
        let (words, all) = (visit.words, cells.names.catalogue)
        let present = all.inForce(at: visit.now)
        return visit.page(words.text(.catalogueTitle), at: .catalogue) {
            Tag.div(.class("title")) {
                Tag.h1 { words.text(.catalogueTitle) }
                Tag.p {
                    words.text(
                        .catalogueText,
                        ["n": String(present.number), "date": since(present, words)])
                }
                Tag.p { words.text(.catalogueHow) }
            }
            Shell.panel(
                "products", words.text(.catalogueProducts),
                aside: Markup(words.count(present.catalogue.products.count, .oneProduct, .products))
            ) { products(present.catalogue, cells) }
            Shell.panel("tiers", words.text(.catalogueTiers)) { tiers(present.catalogue, cells) }
            Shell.panel("versions", words.text(.catalogueVersions)) { versions(all, cells) }
        }
    }

    private static func since(_ version: CatalogueVersions.Version, _ words: Words) -> String {
        version.effectiveAt == .distantPast ? words.text(.sinceEver) : words.date(version.effectiveAt)
    }

    private static func products(_ catalogue: Catalogue, _ cells: ListCells) -> Markup {
        let words = cells.words
        guard !catalogue.products.isEmpty else { return Shell.empty(words, .productsNone, .productsNoneHint) }
        return Tag.table(.role("table"), .class("work-table")) {
            Shell.head(words, [.columnWhat, .columnKind, .columnGives, .columnFromSource, .columnPrice])
            Tag.tbody(.role("rowgroup")) {
                for product in catalogue.products { row(product, cells) }
            }
        }
    }

    private static func row(_ product: Product, _ cells: ListCells) -> Markup {
        let (words, names) = (cells.words, cells.names)
        return Shell.row {
            Shell.name(words, .columnWhat) {
                if let title = names.title(of: product) { Tag.bdi { title } }
                Tag.small { Tag.code { product.id.text } }
                names.app(product.app)
            }
            Shell.cell(words, .columnKind) { words.text(product.terms.kind.word) }
            Shell.cell(words, .columnGives) { names.terms(product.terms) }
            Shell.cell(words, .columnFromSource) {
                words.joined(product.sources.map { names.source($0) }, by: .listed)
            }
            Shell.cell(words, .columnPrice, "amount") {
                product.price.map { $0.amount + "\u{A0}" + $0.currency } ?? words.text(.dash)
            }
        }
    }

    private static func tiers(_ catalogue: Catalogue, _ cells: ListCells) -> Markup {
        let words = cells.words
        return Tag.table(.role("table")) {
            Shell.head(words, [.columnTier, .columnRank, .columnDevices, .columnFeatures])
            Tag.tbody(.role("rowgroup")) {
                for tier in catalogue.tiers.sorted(by: { $0.rank > $1.rank }) {
                    Shell.row {
                        Shell.name(words, .columnTier) {
                            Tag.bdi { cells.names.tier(tier.id) }
                            Tag.small { Tag.code { tier.id.text } }
                            if tier.id == catalogue.defaultTier { Tag.small { words.text(.tierOfEverybody) } }
                        }
                        Shell.cell(words, .columnRank) { String(tier.rank) }
                        Shell.cell(words, .columnDevices) { tier.devices.map { String($0) } ?? words.text(.dash) }
                        Shell.cell(words, .columnFeatures) {
                            let limits = tier.limits.sorted { $0.key < $1.key }.map {
                                "\($0.key) \(Tier.text(ofLimit: $0.value))"
                            }
                            words.joined(tier.features.map(\.text) + limits, by: .listed)
                        }
                    }
                }
            }
        }
    }

    private static func versions(_ all: CatalogueVersions, _ cells: ListCells) -> Markup {
        let words = cells.words
        return Tag.table(.role("table"), .class("work-table")) {
            Shell.head(words, [.columnVersion, .columnInForce, .columnChanges])
            Tag.tbody(.role("rowgroup")) {
                for index in all.versions.indices.suffix(versions).reversed() {
                    let version = all.versions[index]
                    Shell.row {
                        Shell.name(words, .columnVersion) { String(version.number) }
                        Shell.cell(words, .columnInForce) {
                            if version.effectiveAt == .distantPast {
                                words.text(.sinceEver)
                            } else {
                                words.cell(version.effectiveAt)
                            }
                            if version.effectiveAt > words.now { Tag.small { words.text(.notInForceYet) } }
                        }
                        Shell.cell(words, .columnChanges) {
                            if index == 0 {
                                Tag.span(.class("muted")) { words.text(.firstVersion) }
                            } else {
                                changes(
                                    CatalogueDifference(
                                        from: all.versions[index - 1].catalogue, to: version.catalogue), cells)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func changes(_ difference: CatalogueDifference, _ cells: ListCells) -> Markup {
        let words = cells.words
        guard !difference.isEmpty else { return Tag.span(.class("muted")) { words.text(.nothingChanged) } }
        return Tag.ul {
            for change in difference.products + difference.tiers {
                Tag.li {
                    words(change.kind.word, ["name": Tag.code { change.id }])
                    change.app.map { cells.names.app($0) } ?? .nothing
                }
            }
            if difference.hasFurther { Tag.li { words.text(.furtherChanged) } }
        }
    }
}

extension CatalogueDifference.Change.Kind {
    fileprivate var word: Phrase {
        switch self {
        case .added: .changeAdded
        case .changed: .changeChanged
        case .removed: .changeRemoved
        }
    }
}

extension ProductKind {
    var word: Phrase {
        switch self {
        case .pass: .kindPass
        case .addOn: .kindAddOn
        case .consumable: .kindConsumable
        case .plan: .kindPlan
        }
    }
}

extension Names {
    /// The terms of a product in a few words.
    func terms(_ terms: Terms) -> String {
        switch terms {
        case .pass(let tier, let days, let sandboxMinutes):
            words.text(.namePass, ["tier": self.tier(tier), "length": words.count(days, .oneDay, .days)])
                + (sandboxMinutes.map { minutes in
                    words.text(.nameSandboxLength, ["length": words.length(Int64(minutes) * 60_000)])
                } ?? "")
        case .plan(let tier, let plan, _):
            plan.map { words.text(.namePlan, ["tier": self.tier(tier), "plan": $0]) }
                ?? words.text(.namePlanOnly, ["tier": self.tier(tier)])
        case .addOn(let features, _, _, _): words.joined(features.map(\.text), by: .listed)
        case .consumable(let unit, let amount, _):
            words.text(.nameCredits, ["n": words.number(amount), "unit": unit])
        }
    }
}
