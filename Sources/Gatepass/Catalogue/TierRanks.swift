/// The tiers that a product map names, in the order of their first appearance, with the ranks that entries give them.
struct TierRanks {
    private var named: [(id: String, line: Int)] = []
    private var given: [String: Int] = [:]

    /// Notes the tier and the rank of one entry. Throws a fault for a rank without a tier, or if the tier already has
    /// another rank.
    mutating func note(_ entry: [YAMLNode.Entry]) throws(Fault) {
        let rank = entry.first { $0.key == "rank" }
        guard let tier = entry.first(where: { $0.key == "tier" }), case .text(let id) = tier.value.content else {
            guard let rank else { return }
            throw fault(rank, "rank stands without a tier", "write the tier that has this rank")
        }
        if !named.contains(where: { $0.id == id }) { named.append((id, tier.line)) }
        guard let rank else { return }
        guard case .integer(let value) = rank.value.content, value >= 0 else {
            throw fault(rank, "rank must be a whole number from 0 up", "write \"rank\": 1")
        }
        if let earlier = given[id], earlier != value {
            throw fault(rank, "the tier \(id) has rank \(earlier) and rank \(value)", "write one rank for each tier")
        }
        given[id] = value
    }

    /// The `tiers` of a catalogue file. A tier without a rank gets the lowest free one from 1 on.
    var tiers: [YAMLNode] {
        var taken = Set(given.values)
        return named.map { tier in
            let rank = given[tier.id] ?? (1...named.count + taken.count).first { !taken.contains($0) } ?? 0
            taken.insert(rank)
            return YAMLNode(
                line: tier.line,
                content: .mapping([
                    ProductMap.field("id", .text(tier.id), line: tier.line),
                    ProductMap.field("rank", .integer(rank), line: tier.line),
                ]))
        }
    }

    private func fault(_ entry: YAMLNode.Entry, _ problem: String, _ remedy: String) -> Fault {
        Fault(place: .file(ProductMap.mapVariable, line: entry.line), problem: problem, remedy: remedy)
    }
}
