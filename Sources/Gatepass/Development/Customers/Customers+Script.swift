import Entitlements

extension Customers {
    /// A happening in a story.
    struct Step {
        let daysAgo: Double
        let happen: () async throws -> Void

        init(_ daysAgo: Double, _ happen: @escaping () async throws -> Void) {
            self.daysAgo = daysAgo
            self.happen = happen
        }
    }

    /// All stories. A story about something that the catalogue does not sell is left out.
    var script: [Step] { passes + plans + others }

    private func products(_ kind: ProductKind) -> [Product] {
        catalogue.products.filter { $0.source == .appleIAP && $0.terms.kind == kind }
    }

    private var passes: [Step] {
        guard let pass = products(.pass).first, let tier = catalogue.tiers.max(by: { $0.rank < $1.rank })?.id else {
            return []
        }
        let long = products(.pass).last ?? pass
        return [
            // Maria stacks passes: one runs, one waits.
            Step(35) { try await buy(pass, by: "maria") },
            Step(20.5) { try await buy(pass, by: "maria") },
            Step(3.3) { try await buy(pass, by: "maria") },
            Step(20.4) { try await register("maria-phone", named: "Maria’s iPhone", of: "maria") },
            Step(6.3) { try await register("maria-pad", named: "Maria’s iPad", of: "maria") },
            // Apple refunds the pass in the middle of Tom's three.
            Step(58) { try await buy(pass, by: "tom") },
            Step(50.4) { try await buy(pass, by: "tom") },
            Step(44.1) { try await buy(pass, by: "tom") },
            Step(17.6) { try await refund(purchase: 2, of: "tom") },
            // Apple refunds the only pass of Ivy.
            Step(33.3) { try await buy(pass, by: "ivy") },
            Step(22.2) { try await refund(purchase: 1, of: "ivy") },
            // The pass of Sam ran out.
            Step(75) { try await buy(pass, by: "sam") },
            // Lea's app attached a pass after it had ended.
            Step(9) { try await buy(pass, by: "lea", late: 45) },
            // Apple signed two texts about the purchase of Karl at one instant, and they differ.
            Step(12.5) { try await buy(pass, by: "karl") },
            Step(12.4) { try await contradict(purchase: 1, of: "karl") },
            // Yuki tests in the Sandbox.
            Step(3.1) { try await buy(pass, by: "yuki", in: .sandbox) },
            // Ben got two weeks by hand, because of an outage.
            Step(2) { try await give(.addDays(14, of: tier), to: "ben", because: "the outage of last weekend") },
            // Somebody bought a pass outside the app.
            Step(1.5) { try await buyUnnamed(pass) },
            // Hana bought with one Apple account under two sign-ins.
            Step(48) { try await buy(pass, by: "hana") },
            Step(8) { try await buy(pass, by: "guest-77", withAccountOf: "hana") },
            // Nora has a year, an add-on and credits.
            Step(100) { try await buy(long, by: "nora") },
        ]
    }

    private var plans: [Step] {
        guard let shared = products(.plan).first, let small = products(.plan).last else { return [] }
        return [
            // Olga shares her plan with Peter, her child.
            Step(160) { try await subscribe("olga", to: shared) },
            Step(159) { try await subscribe("peter", to: shared, isShared: true) },
            // The last payment of Emma failed.
            Step(95) { try await subscribe("emma", to: small, days: 31) },
            Step(2.1) { try await failBilling(of: "emma", graceDays: 16) },
            // Finn does not want his plan to renew.
            Step(50) { try await subscribe("finn", to: small) },
            Step(5) { try await cancel("finn") },
        ]
    }

    private var others: [Step] {
        var steps: [Step] = []
        if let addOn = products(.addOn).first {
            steps.append(Step(80) { try await buy(addOn, by: "nora") })
        }
        if let credits = products(.consumable).first, case .consumable(let unit, _, _) = credits.terms {
            steps += [
                Step(40) { try await buy(credits, by: "dan") },
                Step(30) { try await spend(70, unit, of: "dan") },
                // Apple refunds credits that are spent, so Dan owes them.
                Step(10) { try await refund(purchase: 1, of: "dan") },
                Step(60) { try await buy(credits, by: "nora") },
                Step(15) { try await spend(12, unit, of: "nora") },
            ]
        }
        if let card = catalogue.products.first(where: { $0.source == .stripe }), let pass = products(.pass).first {
            steps += [
                // Lena pays a plan by card, and bought a pass in the App Store beside it.
                Step(16) { try await pay(for: card, by: "lena") },
                Step(11) { try await buy(pass, by: "lena") },
                // A payment by a link names nobody, so it waits for its customer.
                Step(0.8) { try await pay(for: card, by: "unknown", isNamed: false) },
            ]
        }
        return steps
    }
}
