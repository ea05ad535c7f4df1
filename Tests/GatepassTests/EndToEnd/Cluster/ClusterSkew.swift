import AppStore
import Entitlements
import StoreSimulator
import StrictJSON
import Support
import Testing

/// Two acts that rest on the same rows, on two nodes within a few milliseconds, again and again.
struct ClusterSkew: Sendable {
    let pair: ClusterPair
    private let batch = 32

    /// Attaches purchases on one node while their refunds are told to the other. Returns the number of users who keep
    /// access by a refunded purchase. Throws when no whole answer came.
    func keptRefunds(of rounds: Int) async throws -> Int {
        var kept = 0
        for start in stride(from: 0, to: rounds, by: batch) {
            let passes = try await ClusterPair.each(min(batch, rounds - start)) { [pair] _ in
                let pass = EndToEndBackend.sale("pass.30", at: EndToEnd.now - 2 * EndToEnd.day)
                let server = pair.second.server
                let told = try await server.place(server.notification(.oneTimeCharge, about: pass))
                #expect(told == "parked no_user")
                return pass
            }
            try await pair.catchUp()
            let users = try await ClusterPair.each(passes.count) { [pair] number in
                let (pass, user) = (passes[number], "refunded-" + passes[number].transactionId)
                let refund = try pair.second.server.notification(
                    .refund, about: pass.refunded(at: EndToEnd.now - EndToEnd.day))
                let (attached, _) = try await ClusterPair.together(
                    { try await pair.first.attach(pass, to: user) }, { try await pair.second.server.place(refund) })
                #expect(attached.status == 200, "\(attached.text)")
                return user
            }
            kept += try await active(users).count { $0 }
        }
        return kept
    }

    /// Erases people on one node while the other issues their account tokens. Returns the number of erased people who
    /// have one. Throws when no whole answer came.
    func tokensOfErased(of rounds: Int) async throws -> Int {
        for start in stride(from: 0, to: rounds, by: batch) {
            let users = try await ClusterPair.each(min(batch, rounds - start)) { [pair] _ in
                let user = "erased-" + EndToEnd.newID()
                let pass = EndToEndBackend.sale("pass.30", at: EndToEnd.now - EndToEnd.day)
                let attached = try await pair.first.attach(pass, to: user)
                #expect(attached.status == 200, "\(attached.text)")
                return user
            }
            try await pair.catchUp()
            _ = try await ClusterPair.each(users.count) { [pair] number in
                let user = users[number]
                let (erased, token) = try await ClusterPair.together(
                    { try await pair.first.act("erase", for: user) },
                    { try await pair.second.server.accountToken(of: user) })
                #expect(erased.status == 204, "\(erased.text)")
                #expect(token != nil)
            }
        }
        try await pair.catchUp()
        return try await pair.first.server.schema.number(
            """
            SELECT COUNT(*) FROM account_tokens t JOIN users u ON u.pseudonym = t.user_id
            WHERE u.user_id IS NULL AND (t.token IS NOT NULL OR t.issued_to IS NOT NULL)
            """)
    }

    /// Tells one node of a purchase by card while the other is told of its refund, or of a subscription while the other
    /// is told whose it is. Returns the number of events that count for nothing. Throws when no whole answer came.
    func lostCards(of rounds: Int) async throws -> Int {
        let users = try await ClusterPair.each(rounds) { [pair] round in
            let (shop, user, start) = (EndToEnd.Cards.account(), "card-" + EndToEnd.newID(), EndToEnd.Cards.ago(3))
            let events: (CardAccount.Event, CardAccount.Event)
            if round.isMultiple(of: 2) {
                let refund = shop.charge("pi_" + shop.tag, refunded: CardAccount.amount)
                events = (
                    EndToEnd.Cards.pass(shop, user, at: start),
                    shop.event(2, "charge.refunded", at: EndToEnd.Cards.ago(1), refund)
                )
            } else {
                let plan = shop.subscription(
                    "active", from: start, until: start + 30 * 86_400, price: "price_annual", quantity: 1, user: nil)
                let customer: CardJSON = [
                    "id": .text(shop.customer), "object": "customer", "metadata": ["user_id": .text(user)],
                ]
                events = (
                    shop.event(1, "customer.subscription.updated", at: start, plan),
                    shop.event(2, "customer.updated", at: EndToEnd.Cards.ago(1), customer)
                )
            }
            let (told, other) = try await ClusterPair.together(
                { try await pair.first.server.deliver(events.0) }, { try await pair.second.server.deliver(events.1) })
            #expect(told.status == 200 && other.status == 200, "\(told.text) \(other.text)")
            return (user, round.isMultiple(of: 2))
        }
        let start = ContinuousClock.now
        while try await pair.first.server.schema.number(Self.parked) > 0, start.duration(to: .now) < .seconds(30) {
            try await Task.sleep(for: .milliseconds(100))
        }
        let active = try await active(users.map(\.0))
        return zip(users, active).count { $0.1 == $1 }
    }

    private static let parked = "SELECT COUNT(*) FROM inbox_deliveries WHERE state = 'parked'"

    /// Whether each user has access, once all nodes have all that was committed. Throws when no whole answer came.
    private func active(_ users: [String]) async throws -> [Bool] {
        try await pair.catchUp()
        let answers = try await ClusterPair.each(users.count) { [pair] number in
            let status = try await pair.second.server.status(of: users[number])
            #expect(status.status == 200, "\(status.text)")
            return (number, status["active"]?.flag == true)
        }
        return answers.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
