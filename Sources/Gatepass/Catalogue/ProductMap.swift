import Entitlements

/// The catalogue of a small installation. It comes from two environment variables in place of a file:
///
///     APPLE_IAP_BUNDLE_ID=com.example.app
///     IAP_PRODUCT_MAP={"com.example.30d": {"tier": "pro", "duration": "30d"}, "com.example.x": {"features": ["xyz"]}}
///
/// An entry has the keys of a product in the file. Its kind is `kind`, or follows from its other keys: `duration` makes
/// a pass, `unit` a consumable, `features` or `seats` an add-on, `plan_id` a plan. Tiers are not listed: they get the
/// ranks 1, 2, … in the order in which the text first names them, unless an entry gives its tier a `rank`. Tiers of a
/// map have no features, limits or seats of their own; a catalogue that needs them must be a file.
enum ProductMap {
    static let mapVariable = "IAP_PRODUCT_MAP"
    static let bundleVariable = "APPLE_IAP_BUNDLE_ID"

    /// True if the environment has a product map, which then replaces the file.
    static func isConfigured(in environment: [String: String]) -> Bool {
        environment[mapVariable]?.isEmpty == false
    }

    /// The catalogue of the map, with the text of an equal catalogue file. Throws all faults at once.
    static func catalogueFile(
        map: String, bundleID: String?
    ) throws(CatalogueFileError) -> CatalogueFile {
        guard let bundleID, !bundleID.isEmpty else {
            throw CatalogueFileError(faults: [
                Fault(
                    place: .named(bundleVariable), problem: "\(mapVariable) is set without \(bundleVariable)",
                    remedy: "set \(bundleVariable) to the app's bundle id")
            ])
        }
        var ranks = TierRanks()
        let root = try tree(of: map, bundleID: bundleID, ranks: &ranks)
        _ = try CatalogueFile.parse(root, fileName: mapVariable)
        return try CatalogueFile(text: root.rendered + "\n", fileName: mapVariable)
    }

    /// Converts the map to the tree of a catalogue file. Throws the faults of the map's own form.
    private static func tree(
        of map: String, bundleID: String, ranks: inout TierRanks
    ) throws(CatalogueFileError) -> YAMLNode {
        do throws(Fault) {
            guard let root = try YAMLNode.parse(yaml: map, fileName: mapVariable),
                case .mapping(let entries) = root.content
            else {
                throw Fault(
                    place: .named(mapVariable), problem: "the product map is not a JSON object",
                    remedy: "write {\"product id\": {\"tier\": \"pro\", \"duration\": \"30d\"}}")
            }
            var products: [YAMLNode] = []
            for entry in entries { products.append(try product(entry, ranks: &ranks)) }
            return YAMLNode(
                line: root.line,
                content: .mapping([
                    field("apps", .list([node(.mapping([field("bundle_id", .text(bundleID))]))])),
                    field("tiers", .list(ranks.tiers)),
                    field("products", .list(products)),
                ]))
        } catch {
            throw CatalogueFileError(faults: [error])
        }
    }

    /// Converts an entry to a product. Throws a fault if the entry is no object or contradicts an earlier rank.
    private static func product(_ entry: YAMLNode.Entry, ranks: inout TierRanks) throws(Fault) -> YAMLNode {
        guard case .mapping(let given) = entry.value.content else {
            throw Fault(
                place: .file(mapVariable, line: entry.line),
                problem: "'\(entry.key)' must be an object, not \(entry.value.kindInWords)",
                remedy: "write \"\(entry.key)\": {\"tier\": \"pro\", \"duration\": \"30d\"}")
        }
        try ranks.note(given)
        var fields = given.filter { $0.key != "rank" && $0.key != "kind" }
        let kind = given.first { $0.key == "kind" }
        fields.append(kind ?? field("kind", .text(impliedKind(Set(given.map(\.key))).rawValue), line: entry.line))
        fields.insert(field("id", .text(entry.key), line: entry.line), at: 0)
        return YAMLNode(line: entry.line, content: .mapping(fields))
    }

    private static func impliedKind(_ keys: Set<String>) -> ProductKind {
        if keys.contains("duration") { return .pass }
        if keys.contains("unit") { return .consumable }
        if keys.contains("plan_id") { return .plan }
        return keys.contains("features") || keys.contains("seats") ? .addOn : .pass
    }

    static func node(_ content: YAMLNode.Content, line: Int = 1) -> YAMLNode {
        YAMLNode(line: line, content: content)
    }

    static func field(_ key: String, _ content: YAMLNode.Content, line: Int = 1) -> YAMLNode.Entry {
        YAMLNode.Entry(key: key, line: line, value: node(content, line: line))
    }
}
