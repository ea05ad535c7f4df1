import AppStore
import Entitlements
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// The order in which Apple's notifications come decides nothing, nor how often, nor whether the app was first
    /// (`semantics.md` §1).
    @Suite struct NotificationOrder {
        /// What Apple tells of one purchase, in the order in which it signed.
        private struct Story: Sendable {
            let told: [(type: NotificationType, transaction: SimulatedTransaction, renewal: SimulatedRenewalInfo?)]

            /// The same of a purchase of its own, for the user whom `token` names.
            func renamed(_ id: String, for token: String?) -> Story {
                Story(
                    told: told.map { told in
                        var transaction = told.transaction
                        transaction.transactionId = id + transaction.transactionId
                        transaction.originalTransactionId = id + transaction.originalTransactionId
                        transaction.webOrderLineItemId = transaction.webOrderLineItemId.map { id + $0 }
                        transaction.appAccountToken = token
                        transaction.appTransactionId = id
                        var renewal = told.renewal
                        renewal?.originalTransactionId = transaction.originalTransactionId
                        renewal?.appTransactionId = id
                        return (told.type, transaction, renewal)
                    })
            }
        }

        /// Delivers the story in every order, each to two users: one who has the token, and one who attaches first.
        private func tellInEveryOrder(
            _ story: Story, _ check: (EndToEndAnswer, String) -> Void
        ) async throws {
            let server = try await EndToEndServer.shared
            for order in permutations(of: story.told.count) {
                for attachesFirst in [false, true] {
                    let (user, id) = ("order-" + newID(), newID())
                    let token = attachesFirst ? nil : try await server.accountToken(of: user)
                    let own = story.renamed(id, for: token)
                    if attachesFirst {
                        let first = own.told[order[0]].transaction
                        #expect(try await server.attach(try server.sign(first), as: user).status == 200)
                    }
                    for place in order + [order[0]] {
                        let told = own.told[place]
                        _ = try await server.place(
                            server.notification(told.type, about: told.transaction, told.renewal))
                    }
                    check(try await server.status(of: user), "\(order), \(attachesFirst ? "attached" : "by token")")
                }
            }
        }

        @Test func `a purchase, its refund and the reversal come to one state in every order`() async throws {
            let bought = now - 20 * day
            let pass = EndToEndServer.pass("1", at: bought)
            let refunded = pass.refunded(at: bought + 10 * day)
            let reversed = refunded.reversed(at: bought + 16 * day)
            let story = Story(told: [
                (.oneTimeCharge, pass, nil), (.refund, refunded, nil), (.refundReversed, reversed, nil),
            ])
            try await tellInEveryOrder(story) { status, order in
                #expect(status["active"]?.flag == true, "\(order)")
                // Ten days ran before the refund; twenty run from the reversal.
                #expect(status.integer("expires_at_ms") == bought + 36 * day, "\(order) \(status.text)")
            }
        }

        @Test func `a plan's periods and renewals come to one state in every order`() async throws {
            let began = now - 40 * day
            let first = SimulatedTransaction.subscription(
                "1", of: "com.airport.vpn.annual3", group: "g", bundleId: EndToEndServer.bundleID, at: began,
                until: began + 30 * day)
            let second = first.renewed(as: "2", until: began + 60 * day)
            var switchedOff = SimulatedRenewalInfo(for: second.signed(at: began + 33 * day))
            switchedOff.autoRenewStatus = .off
            var asked = SimulatedRenewalInfo(for: second.signed(at: began + 35 * day))
            asked.autoRenewStatus = .off
            asked.priceIncreaseStatus = .pending
            let story = Story(told: [
                (.subscribed, first, SimulatedRenewalInfo(for: first)),
                (.didRenew, second, SimulatedRenewalInfo(for: second)),
                (.didChangeRenewalStatus, second.signed(at: began + 33 * day), switchedOff),
                (.priceIncrease, second.signed(at: began + 35 * day), asked),
            ])
            try await tellInEveryOrder(story) { status, order in
                #expect(status["active"]?.flag == true, "\(order)")
                #expect(status.integer("expires_at_ms") == began + 60 * day, "\(order) \(status.text)")
                #expect(status["entitlements.0.will_renew"]?.flag == false, "\(order)")
                #expect(status.string("entitlements.0.price_consent") == "pending", "\(order) \(status.text)")
            }
        }

        @Test func `failed billing, grace and recovery come to one state in every order`() async throws {
            let began = now - 32 * day
            let first = SimulatedTransaction.subscription(
                "1", of: "com.airport.vpn.annual3", group: "g", bundleId: EndToEndServer.bundleID, at: began,
                until: began + 30 * day)
            var failed = SimulatedRenewalInfo(for: first.signed(at: began + 30 * day + 1000))
            failed.isInBillingRetryPeriod = true
            failed.gracePeriodExpiresDate = began + 46 * day
            var second = first.renewed(as: "2", until: began + 61 * day)
            second.purchaseDate = began + 31 * day
            second.signedDate = began + 31 * day + 1000
            let story = Story(told: [
                (.subscribed, first, SimulatedRenewalInfo(for: first)),
                (.didFailToRenew, first.signed(at: began + 30 * day + 1000), failed),
                (.didRenew, second, SimulatedRenewalInfo(for: second)),
            ])
            try await tellInEveryOrder(story) { status, order in
                #expect(status.integer("expires_at_ms") == began + 61 * day, "\(order) \(status.text)")
                #expect(status.string("state") == "active", "\(order)")
                #expect(status["entitlements.0.is_in_billing_retry"]?.flag == false, "\(order) \(status.text)")
            }
        }

        @Test func `texts that are signed at one instant come to one state in every order, revoked last`() async throws
        {
            let bought = now - 20 * day
            let pass = EndToEndServer.pass("1", at: bought)
            let at = bought + 12 * day
            var half = pass.refunded(at: bought + 10 * day, percentage: 50_000)
            half.signedDate = at
            var whole = pass.refunded(at: bought + 10 * day)
            whole.signedDate = at
            let story = Story(told: [
                (.oneTimeCharge, pass, nil), (.refundDeclined, pass.signed(at: at), nil), (.refund, half, nil),
                (.refund, whole, nil),
            ])
            try await tellInEveryOrder(story) { status, order in
                #expect(status["active"]?.flag == false, "\(order) \(status.text)")
                #expect(status.integer("expires_at_ms") == bought + 10 * day, "\(order) \(status.text)")
            }
        }

        @Test func `an upgrade ends the lower period at once, in every order`() async throws {
            let began = now - 10 * day
            let first = SimulatedTransaction.subscription(
                "1", of: "com.airport.vpn.monthly1", group: "g", bundleId: EndToEndServer.bundleID, at: began,
                until: began + 30 * day)
            var second = first.renewed(as: "2", until: began + 369 * day)
            second.productId = "com.airport.vpn.annual3"
            second.purchaseDate = began + 4 * day
            second.signedDate = began + 4 * day
            var ended = first.signed(at: began + 4 * day + 1)
            ended.isUpgraded = true
            let story = Story(told: [
                (.subscribed, first, SimulatedRenewalInfo(for: first)),
                (.didChangeRenewalPreference, second, SimulatedRenewalInfo(for: second)),
                (.didChangeRenewalPreference, ended, SimulatedRenewalInfo(for: second)),
            ])
            try await tellInEveryOrder(story) { status, order in
                #expect(status.string("tier") == "pro", "\(order) \(status.text)")
                #expect(status.integer("expires_at_ms") == began + 369 * day, "\(order) \(status.text)")
                #expect(status.integer("access_expires_at_ms") == began + 369 * day, "\(order)")
                #expect(status.count("segments") == 1, "\(order) \(status.text)")
            }
        }

        @Test func `the end of Family Sharing takes a shared plan in every order`() async throws {
            let began = now - 20 * day
            var shared = SimulatedTransaction.subscription(
                "1", of: "com.airport.vpn.monthly1", group: "g", bundleId: EndToEndServer.bundleID, at: began,
                until: began + 365 * day)
            shared = shared.familyShared()
            let renewal = SimulatedRenewalInfo(for: shared)
            let story = Story(told: [
                (.subscribed, shared, renewal), (.didChangeRenewalStatus, shared.signed(at: began + 3 * day), renewal),
                (.revoke, shared.familyRevoked(at: began + 8 * day), renewal),
            ])
            try await tellInEveryOrder(story) { status, order in
                #expect(status["active"]?.flag == false, "\(order) \(status.text)")
                #expect(status.integer("expires_at_ms") == began + 8 * day, "\(order) \(status.text)")
            }
        }
    }
}
