/// Finds every mistake in a catalogue before it comes into force.
///
/// The fold relies on these checks: names resolve, ranks within a lane are distinct, and a higher tier has everything
/// that a lower one has (`semantics.md` §2).
package struct CatalogueCheck {
    private let catalogue: Catalogue
    private let tiers: [TierID: Tier]
    private var defects: [CatalogueDefect] = []

    /// Returns all defects of `catalogue`, in the order of the parts of its file. With `previous`, they include changes
    /// that are not allowed between two versions.
    package static func defects(in catalogue: Catalogue, following previous: Catalogue? = nil) -> [CatalogueDefect] {
        var check = CatalogueCheck(catalogue)
        check.checkApps()
        check.checkDefaultTier()
        check.checkLanes()
        check.checkTiers()
        check.checkLadders()
        check.checkProducts()
        if let previous { check.checkOrder(following: previous) }
        return check.defects
    }

    /// The longest pass in days: a hundred years.
    package static let maximumDays = 36_500
    package static let maximumAmount = 1_000_000_000
    package static let maximumSeats = PlanID.maximumSeats
    package static let maximumIDLength = 255

    private init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
        tiers = Dictionary(catalogue.tiers.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func report(_ path: [CatalogueDefect.Step], _ problem: String, instead remedy: String) {
        defects.append(CatalogueDefect(at: path, problem, instead: remedy))
    }

    private mutating func checkApps() {
        if catalogue.apps.isEmpty {
            report([.field(.apps)], "no app is named", instead: "name at least one app with its bundle_id")
        }
        var bundleIDs: Set<AppID> = []
        var appleIDs: Set<Int64> = []
        for (index, app) in catalogue.apps.enumerated() {
            let path: [CatalogueDefect.Step] = [.field(.apps), .index(index)]
            checkID(app.id.text, at: path + [.field(.bundleID)])
            if !bundleIDs.insert(app.id).inserted {
                report(
                    path + [.field(.bundleID)], "another app has the bundle id \"\(app.id)\"",
                    instead: "name each app once")
            }
            if let appleID = app.appleID, !appleIDs.insert(appleID).inserted {
                report(
                    path + [.field(.appAppleID)], "another app has the Apple id \(appleID)",
                    instead: "write the number that App Store Connect shows for this app")
            }
        }
    }

    private mutating func checkDefaultTier() {
        guard let tier = catalogue.defaultTier, tiers[tier] == nil else { return }
        report([.field(.defaultTier)], "there is no tier \"\(tier)\"", instead: oneOf(tiers.keys.map(\.text)))
    }

    private mutating func checkLanes() {
        var ids: Set<LaneID> = []
        for (index, lane) in catalogue.lanes.enumerated() {
            let path: [CatalogueDefect.Step] = [.field(.lanes), .index(index), .field(.id)]
            checkID(lane.id.text, at: path)
            if !ids.insert(lane.id).inserted {
                report(path, "another lane is named \"\(lane.id)\"", instead: "name each lane once")
            }
        }
    }

    private mutating func checkTiers() {
        let lanes = Set(catalogue.lanes.map(\.id))
        var ids: Set<TierID> = []
        for (index, tier) in catalogue.tiers.enumerated() {
            let path: [CatalogueDefect.Step] = [.field(.tiers), .index(index)]
            checkID(tier.id.text, at: path + [.field(.id)])
            if !ids.insert(tier.id).inserted {
                report(
                    path + [.field(.id)], "another tier is named \"\(tier.id)\"", instead: "name each tier once")
            }
            if !lanes.contains(tier.lane) {
                report(
                    path + [.field(.lane)], "there is no lane \"\(tier.lane)\"",
                    instead: oneOf(lanes.map(\.text)))
            }
            checkFeatures(tier.features, at: path)
            for (name, limit) in tier.limits.sorted(by: { $0.key < $1.key }) {
                checkID(name, at: path + [.field(.limits), .name(name)])
                checkRange(limit, 0...Int.max, at: path + [.field(.limits), .name(name)])
            }
            if let devices = tier.devices {
                checkRange(devices, 0...Self.maximumSeats, at: path + [.field(.devices)])
            }
        }
    }

    /// Checks that the ranks of each lane are distinct and that a higher tier has everything that a lower one has.
    /// Comparing each tier with the next higher one is enough, because the relation is transitive.
    private mutating func checkLadders() {
        let lanes = Dictionary(grouping: catalogue.tiers.enumerated(), by: \.element.lane)
        for (_, members) in lanes.sorted(by: { $0.key < $1.key }) {
            let ladder = members.sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            for (lower, higher) in zip(ladder, ladder.dropFirst()) where lower.element.id != higher.element.id {
                checkRung(higher.element, above: lower.element, at: [.field(.tiers), .index(higher.offset)])
            }
        }
    }

    private mutating func checkRung(_ higher: Tier, above lower: Tier, at path: [CatalogueDefect.Step]) {
        guard lower.rank < higher.rank else {
            report(
                path + [.field(.rank)], "\"\(lower.id)\" has rank \(higher.rank) in the same lane",
                instead: "give each tier of a lane a rank of its own, or put them into different lanes")
            return
        }
        let missing = Set(lower.features).subtracting(higher.features).sorted()
        if !missing.isEmpty {
            let names = missing.map { "\"\($0)\"" }.joined(separator: ", ")
            report(
                path + [.field(.features)], "the lower tier \"\(lower.id)\" has \(names) and this one has not",
                instead: "add \(names), or put the tiers into different lanes")
        }
        for (name, limit) in lower.limits.sorted(by: { $0.key < $1.key }) where higher.limits[name] ?? .min < limit {
            let allowed = Tier.text(ofLimit: limit)
            report(
                path + [.field(.limits), .name(name)], "the lower tier \"\(lower.id)\" allows \(allowed)",
                instead: "write at least \(allowed), or put the tiers into different lanes")
        }
        if let devices = lower.devices, higher.devices ?? 0 < devices {
            report(
                path + [.field(.devices)], "the lower tier \"\(lower.id)\" has \(devices)",
                instead: "write at least \(devices), or put the tiers into different lanes")
        }
    }

    private mutating func checkProducts() {
        let apps = Set(catalogue.apps.map(\.id))
        var keys: Set<PurchaseKey> = []
        var cardNames: Set<ProductID> = []
        for (index, product) in catalogue.products.enumerated() {
            let path: [CatalogueDefect.Step] = [.field(.products), .index(index)]
            checkID(product.id.text, at: path + [.field(.id)])
            if !apps.contains(product.app) {
                report(
                    path + [.field(.app)], "there is no app \"\(product.app)\"", instead: oneOf(apps.map(\.text)))
            }
            let key = PurchaseKey(
                source: product.source, app: product.app, environment: .production,
                externalID: ExternalID(product.id.text))
            if !keys.insert(key).inserted {
                report(
                    path + [.field(.id)],
                    "another product of this app and source is named \"\(product.id)\"",
                    instead: "name each product once")
            }
            checkCardNames(of: product, taken: &cardNames, at: path + [.field(.stripe)])
            checkTerms(product.terms, at: path)
            checkSeats(of: product, at: path + [.field(.devices)])
            checkPrice(product.price, at: path + [.field(.price)])
        }
    }

    /// Checks that each name by which card billing sells a product is used once. All apps share these names, because a
    /// card account has one namespace.
    private mutating func checkCardNames(
        of product: Product, taken: inout Set<ProductID>, at path: [CatalogueDefect.Step]
    ) {
        guard product.isSoldByCard else { return }
        for name in product.cardNames { checkID(name.text, at: path) }
        for name in [product.id] + product.cardNames where !taken.insert(name).inserted {
            report(path, "card billing sells another product as \"\(name)\"", instead: "name it once")
        }
    }

    private mutating func checkTerms(_ terms: Terms, at path: [CatalogueDefect.Step]) {
        switch terms {
        case .pass(let tier, let days, let sandboxMinutes):
            checkTier(tier, at: path + [.field(.tier)])
            if !(1...Self.maximumDays).contains(days) {
                report(
                    path + [.field(.duration)], "\(days) days is no length of a pass",
                    instead: "write 1d to \(Self.maximumDays)d")
            } else if let sandboxMinutes, !(1...days * 1_440).contains(sandboxMinutes) {
                report(
                    path + [.field(.sandboxDuration)], "\(sandboxMinutes) minutes do not shorten \(days) days",
                    instead: "write 1m to \(days)d, or leave it out")
            }
        case .addOn(let features, let requires, let seats, _):
            checkFeatures(features, at: path)
            checkRange(seats, 0...Self.maximumSeats, at: path + [.field(.seats)])
            if let requires { checkTier(requires, at: path + [.field(.requires), .field(.tier)]) }
        case .consumable(let unit, let amount, _):
            checkID(unit, at: path + [.field(.unit)])
            checkRange(amount, 1...Self.maximumAmount, at: path + [.field(.amount)])
        case .plan(let tier, let planID, _):
            checkTier(tier, at: path + [.field(.tier)])
            if let planID { checkID(planID, at: path + [.field(.planID)]) }
        }
    }

    /// Checks that `devices` and the plan id name the same number of seats.
    private mutating func checkSeats(of product: Product, at path: [CatalogueDefect.Step]) {
        guard let devices = product.devices else { return }
        checkRange(devices, 0...Self.maximumSeats, at: path)
        switch product.terms {
        case .addOn, .consumable:
            report(path, "a product of this kind has no devices", instead: "leave it out")
        case .pass: break
        case .plan(_, let planID, _):
            guard let seats = planID.flatMap({ PlanID($0) })?.seats, seats != devices else { return }
            report(path, "the plan id says \(seats)", instead: "leave it out")
        }
    }

    private mutating func checkTier(_ tier: TierID, at path: [CatalogueDefect.Step]) {
        guard tiers[tier] == nil else { return }
        report(path, "there is no tier \"\(tier)\"", instead: oneOf(tiers.keys.map(\.text)))
    }

    private mutating func checkFeatures(_ features: [Feature], at path: [CatalogueDefect.Step]) {
        for (index, feature) in features.enumerated() {
            checkID(feature.text, at: path + [.field(.features), .index(index)])
        }
    }

    private mutating func checkRange(_ number: Int, _ range: ClosedRange<Int>, at path: [CatalogueDefect.Step]) {
        guard !range.contains(number) else { return }
        let most = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
        report(path, "\(number) is out of range", instead: "write \(range.lowerBound) \(most)")
    }

    private mutating func checkPrice(_ price: Product.Price?, at path: [CatalogueDefect.Step]) {
        guard let price else { return }
        if !Self.isDecimal(price.amount) {
            report(
                path + [.field(.amount)], "\"\(price.amount)\" is no decimal number", instead: "write it as \"4.99\"")
        }
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        if price.currency.utf8.count != 3 || !price.currency.utf8.allSatisfy({ letters.contains($0) }) {
            report(
                path + [.field(.currency)], "\"\(price.currency)\" is no currency code",
                instead: "write three capital letters such as USD")
        }
    }

    /// Checks that an id is printable ASCII, because ids are sent to stores, written in URLs, and kept in an ASCII
    /// column.
    private mutating func checkID(_ id: String, at path: [CatalogueDefect.Step]) {
        let printable = UInt8(ascii: "!")...UInt8(ascii: "~")
        guard (1...Self.maximumIDLength).contains(id.utf8.count), id.utf8.allSatisfy({ printable.contains($0) }) else {
            report(
                path, "\"\(id)\" is no id",
                instead: "write 1 to \(Self.maximumIDLength) printable ASCII characters without spaces")
            return
        }
    }

    /// Checks that no tier moves to another lane and that the order of ranks stays. The fold takes both from the newest
    /// version, so a change would alter the past.
    private mutating func checkOrder(following previous: Catalogue) {
        let before = Dictionary(previous.tiers.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let kept = catalogue.tiers.enumerated().filter { before[$0.element.id] != nil }
        for (place, (index, tier)) in kept.enumerated() {
            guard let old = before[tier.id] else { continue }
            let path: [CatalogueDefect.Step] = [.field(.tiers), .index(index)]
            if old.lane != tier.lane {
                report(
                    path + [.field(.lane)], "the tier stood in the lane \"\(old.lane)\" before",
                    instead: "leave it there, and name a new tier for the other lane")
            }
            let turned = kept[..<place].first { _, other in
                guard let oldOther = before[other.id] else { return false }
                return (old.rank - oldOther.rank).signum() != (tier.rank - other.rank).signum()
            }
            if let turned {
                report(
                    path + [.field(.rank)],
                    "its order to \"\(turned.element.id)\" is not what it was before (\(old.rank))",
                    instead: "keep the order of ranks, and name a new tier for another rank")
            }
        }
    }

    private func oneOf(_ names: [String]) -> String {
        guard !names.isEmpty else { return "name it first" }
        return "write one of " + names.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
    }

    /// True for the amount of a price: digits, and digits behind a point if there is one.
    package static func isDecimal(_ text: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (1...2).contains(parts.count)
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { digits.contains($0) }
            }
    }
}
