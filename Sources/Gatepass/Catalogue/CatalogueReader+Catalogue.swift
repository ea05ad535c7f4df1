import Entitlements

extension CatalogueReader {
    private static let catalogueKeys = ["apps", "default_tier", "lanes", "tiers", "ownership", "products"]

    /// A catalogue that was read, as far as it could be.
    struct Reading {
        let catalogue: Catalogue
        /// The index of each product in the list of the file.
        let productIndices: [Int]
        /// True if all apps, lanes and tiers could be read. Otherwise a reference to an unreadable one would be
        /// reported as a second fault.
        let isJudgeable: Bool
    }

    /// Reads the catalogue as far as possible; nil if the text is no mapping.
    mutating func catalogue(_ root: YAMLNode) -> Reading? {
        guard let fields = fields(of: root, "the catalogue", known: Self.catalogueKeys) else { return nil }
        for key in ["apps", "tiers", "products"] where fields[key] == nil {
            reportMissing(key, in: fields, example: "[…]")
        }
        let apps = apps(fields)
        let lanes = lanes(fields)
        let tiers = tiers(fields)
        let defaultTier = optionalText("default_tier", in: fields, example: "free").map(TierID.init)
        let isJudgeable = [("apps", apps.count), ("lanes", lanes.count), ("tiers", tiers.count)].allSatisfy {
            fields[$0]?.itemCount ?? $1 == $1
        }
        let products = products(fields, apps: apps)
        let catalogue = Catalogue(
            apps: apps, defaultTier: defaultTier, lanes: lanes, tiers: tiers, ownership: ownership(fields),
            products: products.map(\.product))
        return Reading(
            catalogue: catalogue, productIndices: products.map(\.index),
            isJudgeable: isJudgeable && fields["apps"] != nil && fields["tiers"] != nil)
    }

    private mutating func apps(_ catalogue: CatalogueFields) -> [Catalogue.App] {
        var apps: [Catalogue.App] = []
        for item in items("apps", in: catalogue, example: "{bundle_id: com.example.app}") {
            guard let fields = fields(of: item, "an app", known: ["bundle_id", "app_apple_id"]) else { continue }
            let appleID = integer("app_apple_id", in: fields, atLeast: 1)
            guard let id = requiredText("bundle_id", in: fields, example: "com.example.app") else { continue }
            apps.append(Catalogue.App(id: AppID(id), appleID: appleID.map(Int64.init)))
        }
        return apps
    }

    private mutating func lanes(_ catalogue: CatalogueFields) -> [Lane] {
        guard catalogue["lanes"] != nil else { return [Lane(id: .main)] }
        var lanes: [Lane] = []
        for item in items("lanes", in: catalogue, example: "{id: main}") {
            guard let fields = fields(of: item, "a lane", known: ["id", "under_higher_window"]) else { continue }
            let underHigherWindow = choice("under_higher_window", in: fields, of: Lane.UnderHigherWindow.self) ?? .run
            guard let id = requiredText("id", in: fields, example: "main") else { continue }
            lanes.append(Lane(id: LaneID(id), underHigherWindow: underHigherWindow))
        }
        return lanes
    }

    private mutating func tiers(_ catalogue: CatalogueFields) -> [Tier] {
        let known = ["id", "rank", "features", "limits", "devices", "lane", "title"]
        var tiers: [Tier] = []
        for item in items("tiers", in: catalogue, example: "{id: pro, rank: 1}") {
            guard let fields = fields(of: item, "a tier", known: known) else { continue }
            let id = requiredText("id", in: fields, example: "pro")
            let rank = requiredInteger("rank", in: fields, atLeast: 0, example: 1)
            let lane = optionalText("lane", in: fields, example: "main").map(LaneID.init) ?? .main
            let features = features(in: fields)
            let limits = limits(fields)
            let devices = integer("devices", in: fields)
            let titles = texts("title", in: fields)
            guard let id, let rank else { continue }
            tiers.append(
                Tier(
                    id: TierID(id), lane: lane, rank: rank, features: features, limits: limits, devices: devices,
                    titles: titles))
        }
        return tiers
    }

    private mutating func limits(_ fields: CatalogueFields) -> [String: Int] {
        guard let node = fields["limits"] else { return [:] }
        guard case .mapping(let entries) = node.content else {
            report(node.line, "limits must be a mapping, not \(node.kindInWords)", "write limits: {saved_trips: 10}")
            return [:]
        }
        var limits: [String: Int] = [:]
        for entry in entries {
            if case .text("unlimited") = entry.value.content {
                limits[entry.key] = Tier.unlimited
            } else {
                limits[entry.key] = integer(entry.value, "the limit \(entry.key)", instead: ", or unlimited")
            }
        }
        return limits
    }

    private mutating func ownership(_ catalogue: CatalogueFields) -> OwnershipPolicies {
        guard let node = catalogue["ownership"],
            let fields = fields(of: node, "ownership", known: ProductKind.allCases.map(\.rawValue))
        else { return OwnershipPolicies() }
        var policies: [ProductKind: OwnershipPolicies.Policy] = [:]
        for kind in ProductKind.allCases {
            guard let policy = choice(kind.rawValue, in: fields, of: OwnershipPolicies.Policy.self) else { continue }
            // A missing policy and `keep` mean the same, so both make equal catalogues.
            guard policy != .keep else { continue }
            policies[kind] = policy
        }
        return OwnershipPolicies(policies)
    }
}

extension YAMLNode {
    /// The number of items; nil if the node is no list.
    fileprivate var itemCount: Int? {
        if case .list(let items) = content { items.count } else { nil }
    }
}
