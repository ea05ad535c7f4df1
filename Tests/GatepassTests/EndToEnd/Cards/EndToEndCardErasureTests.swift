import MariaDB
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// What an erasure leaves of people who bought by card as guests, whom no customer of the account names
    /// (`semantics.md` §5).
    @Suite struct CardErasure {
        private static func charge(_ shop: CardAccount, refunded: Int64 = 0) -> CardJSON {
            shop.charge("pi_" + shop.tag, refunded: refunded).with(["customer": nil])
        }

        /// What is told of a guest's payment and changes nothing; `number` and the next are those of the events.
        private static func asides(_ shop: CardAccount, _ number: Int) -> [CardAccount.Event] {
            let payment: CardJSON = [
                "id": .text("pi_" + shop.tag), "object": "payment_intent", "receipt_email": "zoë@example.com",
            ]
            return [
                shop.event(number, "charge.succeeded", at: Cards.ago(3), charge(shop)),
                shop.event(number + 1, "payment_intent.succeeded", at: Cards.ago(3), payment),
            ]
        }

        @Test func `the texts of a guest's payments go with the person, named by the payment or bound to it later`()
            async throws
        {
            let server = try await EndToEndServer.withCards
            let backend = try await EndToEndBackend.keyed(server)
            let user = "guest-" + newID()
            let (named, bound, other) = (Cards.account(), Cards.account(), Cards.account())
            let buyers: [(shop: CardAccount, name: String?)] = [
                (named, user), (bound, nil), (other, "other-" + newID()),
            ]
            for (shop, name) in buyers {
                let paid = try await server.place(Cards.pass(shop, name, at: Cards.ago(3)))
                #expect(paid == (name == nil ? "parked no_user" : "applied"))
                for event in Self.asides(shop, 2) { #expect(try await server.place(event) == "ignored") }
                #expect(try await server.texts(of: shop) == 3)
            }
            let receipt = #"{"external_id":"pi_\#(bound.tag)","reason":"showed the receipt"}"#
            let binding = try await backend.act("bind", receipt, for: user)
            #expect(binding.status == 200 && binding.string("source") == "stripe", "\(binding.text)")
            #expect(try await server.status(of: user).count("entitlements") == 2)
            let exported = try await backend.look("export", of: user)
            for event in Self.asides(named, 2) + Self.asides(bound, 2) {
                #expect(exported.text.contains(event.id), "\(event.id)")
            }
            #expect(try await backend.act("erase", for: user).status == 204)
            for shop in [named, bound] {
                #expect(try await server.texts(of: shop) == 0)
                for event in Self.asides(shop, 4) { #expect(try await server.place(event) == "ignored") }
                let refund = shop.event(6, "charge.refunded", at: Cards.ago(1), Self.charge(shop, refunded: 999))
                #expect(try await server.place(refund) == "applied")
                #expect(try await server.texts(of: shop) == 0, "of what comes later none is kept")
            }
            #expect(try await server.texts(of: other) == 3)
            #expect(try await server.schema.number("SELECT COUNT(*) FROM users WHERE user_id = ?", [.text(user)]) == 0)
        }
    }
}
