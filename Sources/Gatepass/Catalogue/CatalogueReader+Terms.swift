import Entitlements

extension CatalogueReader {
    /// The keys for the terms of a product of `kind`.
    static func termKeys(of kind: ProductKind) -> [String] {
        switch kind {
        case .pass: ["tier", "duration", "sandbox_duration", "devices"]
        case .addOn: ["features", "requires", "seats", "family_shareable"]
        case .consumable: ["unit", "amount", "on_shortfall"]
        case .plan: ["tier", "plan_id", "devices", "family_shareable", "subscription_group"]
        }
    }

    /// The terms of a product; nil if a part is missing or wrong.
    mutating func terms(_ fields: CatalogueFields, of kind: ProductKind) -> Terms? {
        switch kind {
        case .pass:
            let tier = tier(fields)
            let days = days(fields)
            let sandboxMinutes = sandboxMinutes(fields)
            guard let tier, let days else { return nil }
            return .pass(tier: tier, days: days, sandboxMinutes: sandboxMinutes)
        case .addOn:
            if fields["features"] == nil, fields["seats"] == nil {
                reportMissing("features", in: fields, example: "[xyz]")
            }
            return .addOn(
                features: features(in: fields), requires: requires(fields),
                seats: integer("seats", in: fields) ?? 0, familyShareable: flag("family_shareable", in: fields))
        case .consumable:
            let unit = requiredText("unit", in: fields, example: "credit")
            let amount = requiredInteger("amount", in: fields, example: 100)
            let onShortfall = choice("on_shortfall", in: fields, of: Terms.OnShortfall.self) ?? .debt
            guard let unit, let amount else { return nil }
            return .consumable(unit: unit, amount: amount, onShortfall: onShortfall)
        case .plan:
            let planID = optionalText("plan_id", in: fields, example: "annual_3")
            requireSeats(of: planID, in: fields)
            let familyShareable = flag("family_shareable", in: fields)
            guard let tier = tier(fields) else { return nil }
            return .plan(tier: tier, planID: planID, familyShareable: familyShareable)
        }
    }

    /// Refuses plan ids that name no seats.
    private mutating func requireSeats(of planID: String?, in fields: CatalogueFields) {
        guard let planID, let node = fields["plan_id"], Self.namesNoSeats(planID) else { return }
        report(
            node.line, "plan_id is '\(planID)', which names no seats from 1 to \(PlanID.maximumSeats)",
            "write \(planID.prefix { $0 != "_" })_1 or another name")
    }

    /// True for plan ids such as `annual_0`, which look as if they said a number of seats, but say none.
    static func namesNoSeats(_ planID: String) -> Bool {
        let parts = planID.split(separator: "_", omittingEmptySubsequences: false)
        return PlanID(planID) == nil && parts.count == 2 && PlanID.Period(rawValue: String(parts[0])) != nil
            && Int(parts[1]) != nil
    }

    private mutating func tier(_ fields: CatalogueFields) -> TierID? {
        requiredText("tier", in: fields, example: "pro").map(TierID.init)
    }

    /// Reads `requires: {tier: pro}`.
    private mutating func requires(_ fields: CatalogueFields) -> TierID? {
        guard let node = fields["requires"] else { return nil }
        return self.fields(of: node, "requires", known: ["tier"]).flatMap { tier($0) }
    }

    /// Reads a duration such as `30d`. There is no other form, because months and years have no fixed length.
    private mutating func days(_ fields: CatalogueFields) -> Int? {
        guard fields.has("duration"), let node = fields["duration"] else {
            reportMissing("duration", in: fields, example: "30d")
            return nil
        }
        guard case .text(let text) = node.content, text.utf8.last == UInt8(ascii: "d"),
            let days = Int(text.dropLast()), "\(days)d" == text
        else {
            report(node.line, "duration must be a number of days followed by d", "write duration: 30d")
            return nil
        }
        return days
    }

    /// Reads the length of a pass in the Sandbox, such as `3m`, `2h` or `1d`, in minutes.
    private mutating func sandboxMinutes(_ fields: CatalogueFields) -> Int? {
        guard let node = fields["sandbox_duration"] else { return nil }
        let minutes: [Character: Int] = ["m": 1, "h": 60, "d": 1_440]
        guard case .text(let text) = node.content, let unit = text.last, let factor = minutes[unit],
            let number = Int(text.dropLast()), "\(number)\(unit)" == text,
            case let (product, overflow) = number.multipliedReportingOverflow(by: factor), !overflow
        else {
            report(
                node.line, "sandbox_duration must be a number of minutes, hours or days followed by m, h or d",
                "write sandbox_duration: 3m")
            return nil
        }
        return product
    }
}
