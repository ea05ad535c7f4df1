import AppStore
import Entitlements
import Glibc
import MariaDB
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// What Apple tells by itself (`api.md`, "Webhooks").
    @Suite struct Notifications {
        private static func charge(
            by token: String?, of product: String = "com.airport.vpn.pass.30d", daysAgo: Int64 = 1
        ) -> SimulatedTransaction {
            var pass = EndToEndServer.pass(of: product, at: now - daysAgo * day)
            pass.appAccountToken = token
            pass.appTransactionId = pass.transactionId
            return pass
        }

        @Test func `a purchase that the app never posted is given to the user whose token it carries`() async throws {
            let server = try await EndToEndServer.shared
            let user = "told-" + newID()
            let pass = Self.charge(by: try await server.accountToken(of: user))
            let charge = try server.notification(.oneTimeCharge, about: pass)
            #expect(try await server.place(charge) == "applied")
            let status = try await server.status(of: user)
            #expect(status["active"]?.flag == true)
            #expect(status.integer("expires_at_ms") == pass.purchaseDate + 30 * day)
            for _ in 1...2 { #expect(try await server.place(charge) == "duplicate") }
            #expect(try await server.outcomes(of: charge.notificationUUID) == ["applied"])
            let attached = try await server.attach(try server.sign(pass), as: user)
            #expect(attached.string("outcome") == "already_attached")
            let other = try await server.attach(try server.sign(pass), as: "other-" + user)
            #expect(other.string("code") == "owned_by_another_user")
        }

        @Test func `what nobody has waits for whoever attaches it, renewals too`() async throws {
            let server = try await EndToEndServer.shared
            let user = "late-" + newID()
            let began = now - 10 * day
            let id = newID()
            let period = SimulatedTransaction.subscription(
                id, of: "com.airport.vpn.annual3", group: "g", bundleId: EndToEndServer.bundleID, at: began,
                until: began + 365 * day)
            var cancelled = SimulatedRenewalInfo(for: period.signed(at: began + day))
            cancelled.autoRenewStatus = .off
            let bought = try server.notification(
                .subscribed, .initialBuy, about: period, SimulatedRenewalInfo(for: period))
            let switched = try server.notification(
                .didChangeRenewalStatus, .autoRenewDisabled, about: period.signed(at: began + day), cancelled)
            for told in [switched, bought] {
                #expect(try await server.place(told) == "parked no_user")
                #expect(try await server.outcomes(of: told.notificationUUID) == ["parked no_user"])
            }
            let waiting =
                "SELECT COUNT(*) FROM waiting_statements w JOIN purchases p ON p.id = w.purchase_id "
                + "WHERE p.external_id = ?"
            #expect(try await server.schema.number(waiting, [.text(id)]) == 2)
            #expect(try await server.attach(try server.sign(period), as: user).string("outcome") == "attached")
            #expect(try await server.schema.number(waiting, [.text(id)]) == 0)
            for told in [switched, bought] {
                #expect(try await server.outcomes(of: told.notificationUUID) == ["applied"])
                #expect(try await server.place(told) == "duplicate")
            }
            let status = try await server.status(of: user)
            #expect(status["entitlements.0.will_renew"]?.flag == false, "\(status.text)")
        }

        @Test
        func `a refund ends the pass, an older text revives nothing, and a reversal brings back exactly the rest`()
            async throws
        {
            let server = try await EndToEndServer.shared
            let user = "refunded-" + newID()
            let pass = Self.charge(by: try await server.accountToken(of: user), daysAgo: 20)
            let jws = try server.sign(pass)
            #expect(try await server.attach(jws, as: user).string("outcome") == "attached")
            let refunded = pass.refunded(at: now - 10 * day)
            #expect(
                try await server.place(server.notification(.refund, about: refunded)) == "applied")
            #expect(try await server.status(of: user)["active"]?.flag == false)
            #expect(try await server.attach(jws, as: user).string("outcome") == "revoked")
            let restored = try await server.restore([SimulatedPayload.quoted(jws)], as: user)
            #expect(restored.string("results.0.outcome") == "revoked")
            let again = try server.notification(.oneTimeCharge, about: pass)
            #expect(try await server.place(again) == "duplicate")
            #expect(try await server.status(of: user)["active"]?.flag == false)
            let reversed = try server.notification(.refundReversed, about: refunded.reversed(at: now - 4 * day))
            #expect(try await server.place(reversed) == "applied")
            let status = try await server.status(of: user)
            #expect(status["active"]?.flag == true)
            // What had run before the refund is used up; the rest runs from the reversal.
            let ran = (refunded.revocationDate ?? 0) - pass.purchaseDate
            #expect(status.integer("expires_at_ms") == reversed.signedDate + 30 * day - ran, "\(status.text)")
        }

        @Test func `what is not genuine, of another app or none is refused with 400, and nothing is stored`()
            async throws
        {
            let server = try await EndToEndServer.shared
            let pass = Self.charge(by: nil)
            let genuine = try server.authority.sign(server.notification(.oneTimeCharge, about: pass)).text
            let rows = try await server.schema.dump()
            let forged = String(genuine.dropLast(86)) + String(repeating: "A", count: 86)
            let outer = try await server.deliver(payload: forged)
            #expect(outer.status == 400 && outer.string("reason") == "signature_mismatch", "\(outer.text)")
            var inside = try server.notification(.oneTimeCharge, about: pass)
            let text = try server.sign(pass)
            inside.content = .data(
                transaction: String(text.dropLast(86)) + String(repeating: "A", count: 86), renewalInfo: nil,
                status: nil)
            let inner = try await server.deliver(inside)
            #expect(inner.status == 400 && inner.string("reason") == "signature_mismatch", "\(inner.text)")
            var elsewhere = pass
            elsewhere.bundleId = "com.example.other"
            let other = try await server.deliver(server.notification(.oneTimeCharge, about: elsewhere))
            #expect(other.status == 400 && other.string("code") == "wrong_app", "\(other.text)")
            inside.content = .data(
                transaction: try server.sign(elsewhere), renewalInfo: nil, status: nil)
            #expect(try await server.deliver(inside).string("code") == "wrong_app")
            let renewal = try server.authority.sign(SimulatedRenewalInfo(for: Self.charge(by: nil))).text
            inside.content = .data(transaction: text, renewalInfo: renewal, status: nil)
            let strange = try await server.deliver(inside)
            #expect(strange.status == 400 && strange.string("reason") == "payload_malformed", "\(strange.text)")
            #expect(try await server.deliver(payload: text).string("reason") == "wrong_payload_kind")
            for (body, status) in [
                ("[]", 400), ("{}", 400), (#"{"signedPayload":1}"#, 400),
                (#"{"notification_type":"REFUND","password":"x"}"#, 404),
                (#"{"signedPayload":"\#(String(repeating: "A", count: 262_144))"}"#, 413),
            ] {
                let answer = try await server.send("POST", EndToEndServer.webhookPath, Array(body.utf8))
                #expect(answer.status == status, "\(body.prefix(40)) \(answer.text)")
            }
            #expect(try await server.schema.dump() == rows)
        }

        @Test func `a notification that Apple did not date is judged at the date of the text inside it`() async throws {
            let server = try await EndToEndServer.shared
            let user = "undated-" + newID()
            let pass = Self.charge(by: try await server.accountToken(of: user))
            var payload = try server.notification(.oneTimeCharge, about: pass).payload
            payload["signedDate"] = nil
            let dateless = try await server.deliver(payload: try server.authority.sign(payload))
            #expect(dateless.string("result") == "applied", "\(dateless.text)")
            var nothing = SimulatedNotification(
                .test, uuid: newID(), about: .data(transaction: nil, renewalInfo: nil, status: nil),
                bundleId: EndToEndServer.bundleID, at: now
            ).payload
            nothing["signedDate"] = nil
            let refused = try await server.deliver(payload: try server.authority.sign(nothing))
            #expect(refused.status == 400 && refused.string("reason") == "payload_malformed", "\(refused.text)")
        }

        @Test func `types without a transaction and types that are not known are kept and ignored`() async throws {
            let server = try await EndToEndServer.shared
            let user = "ignored-" + newID()
            let contents: [(NotificationType, SimulatedNotification.Content, String)] = [
                (.test, .data(transaction: nil, renewalInfo: nil, status: nil), "ignored"),
                (
                    .renewalExtension,
                    .summary(productId: "p", requestIdentifier: "r", succeeded: 1, failed: 0), "ignored"
                ),
                (.externalPurchaseToken, .externalPurchaseToken(id: "SANDBOX_e", createdAt: now), "ignored"),
                (
                    .rescindConsent,
                    .appData(
                        appTransaction: try server.authority.sign(
                            SimulatedAppTransaction(bundleId: EndToEndServer.bundleID, at: now)
                        ).text), "ignored consent_rescinded"
                ),
                (
                    NotificationType(rawValue: "BRAND_NEW"), .data(transaction: nil, renewalInfo: nil, status: nil),
                    "ignored unknown_type"
                ),
            ]
            for (type, content, outcome) in contents {
                let told = SimulatedNotification(
                    type, uuid: newID(), about: content, bundleId: EndToEndServer.bundleID, at: now)
                #expect(try await server.place(told)?.hasPrefix("ignored") == true, "\(type)")
                #expect(try await server.outcomes(of: told.notificationUUID) == [outcome], "\(type)")
            }
            // What Apple signed is recorded whatever the type is called.
            let pass = Self.charge(by: try await server.accountToken(of: user))
            let new = try server.notification(NotificationType(rawValue: "BRAND_NEW"), about: pass)
            #expect(try await server.place(new)?.hasPrefix("ignored") == true)
            #expect(try await server.status(of: user)["active"]?.flag == true)
        }

        @Test func `what is genuine and cannot be read is kept and ignored, and can be placed again`() async throws {
            let server = try await EndToEndServer.shared
            let pass = Self.charge(by: try await server.accountToken(of: "unread-" + newID()))
            var inside = pass.payload
            inside["originalTransactionId"] = .integer(1)
            var told = try server.notification(.oneTimeCharge, about: pass)
            told.content = .data(transaction: try server.authority.sign(inside), renewalInfo: nil, status: nil)
            var outside = try server.notification(.refund, about: pass).payload
            outside["novelty"] = outside["data"]
            outside["data"] = nil
            var stranger = outside
            stranger["notificationType"] = .string("BRAND_NEW")
            var unbounded = told.payload
            for number in 0..<1_025 { unbounded["n\(number)"] = .integer(1) }
            for (payload, reason) in [
                (told.payload, "unreadable"), (outside, "unreadable"), (stranger, "unknown_type"),
                (unbounded, "unreadable"),
            ] {
                var payload = payload
                let uuid = newID()
                payload["notificationUUID"] = .string(uuid)
                let text = try server.authority.sign(payload)
                let answer = try await server.deliver(payload: text)
                #expect(answer.status == 200 && answer.string("result") == "ignored", "\(answer.text)")
                #expect(try await server.outcomes(of: uuid) == ["ignored " + reason])
                #expect(try await server.deliver(payload: text).string("result") == "duplicate")
                let forged = String(text.dropLast(86)) + String(repeating: "A", count: 86)
                #expect(try await server.deliver(payload: forged).string("reason") == "signature_mismatch")
            }
        }

        @Test func `a notification that is signed anew, outside and inside, is the same`() async throws {
            let server = try await EndToEndServer.shared
            let pass = Self.charge(by: try await server.accountToken(of: "anew-" + newID()))
            let uuid = newID()
            let first = try server.notification(.oneTimeCharge, about: pass, uuid: uuid)
            #expect(try await server.place(first) == "applied")
            let second = try server.notification(.oneTimeCharge, about: pass, uuid: uuid)
            #expect(try await server.place(second) == "duplicate")
            #expect(try await server.outcomes(of: uuid) == ["applied"])
        }

        @Test func `another content under the same id is stored beside the first, and both count`() async throws {
            let server = try await EndToEndServer.shared
            let user = "twice-" + newID()
            let token = try await server.accountToken(of: user)
            let uuid = newID()
            for product in ["com.airport.vpn.pass.30d", "com.airport.vpn.basic.30d"] {
                let told = try server.notification(
                    .oneTimeCharge, about: Self.charge(by: token, of: product), uuid: uuid)
                #expect(try await server.place(told) == "applied")
            }
            #expect(try await server.outcomes(of: uuid) == ["applied", "applied"])
            #expect(try await server.status(of: user).count("entitlements") == 2)
        }

        @Test func `a token of the old form names a user who was never seen, where the settings read it`() async throws
        {
            let server = try await EndToEndServer.start(["GATEPASS_ACCOUNT_TOKENS_LEGACY_HEX_USER_ID": "true"])
            let pass = Self.charge(by: "0b5e1e55-0000-0000-0000-000000000000")
            let charge = try server.notification(.oneTimeCharge, about: pass)
            #expect(try await server.place(charge) == "applied")
            let status = try await server.status(of: "190717525")
            #expect(status["active"]?.flag == true, "\(status.text)")
            // Once erased, the token places nothing and makes nobody.
            let erased = try await server.command(["user", "erase", "190717525", "--reason", "asked"])
            #expect(erased.status == 0, "\(erased.text)")
            let later = try server.notification(
                .oneTimeCharge, about: Self.charge(by: "0b5e1e55-0000-0000-0000-000000000000"))
            #expect(try await server.place(later) == "parked no_user")
            let known = "SELECT COUNT(*) FROM users WHERE user_id = '190717525'"
            #expect(try await server.schema.number(known) == 0)
            #expect(try await server.end() == 0)
            let strict = try await EndToEndServer.shared
            let waits = try strict.notification(
                .oneTimeCharge, about: Self.charge(by: "0b5e1e55-0000-0000-0000-000000000000"))
            #expect(try await strict.place(waits) == "parked no_user")
            #expect(try await strict.status(of: "190717525")["active"]?.flag == false)
        }

        @Test func `what was stored and not placed before the server was killed is placed by the next one`()
            async throws
        {
            let server = try await EndToEndServer.start()
            let user = "killed"
            let pass = Self.charge(by: try await server.accountToken(of: user))
            let charge = try server.notification(.oneTimeCharge, about: pass)
            #expect(try await server.place(charge) == "applied")
            let refund = try server.notification(.refund, about: pass.refunded(at: now - 3_600_000))
            // As if the server had died between storing the second delivery and placing it.
            try await server.schema.rows(
                "CREATE TRIGGER stop BEFORE INSERT ON ledger_entries FOR EACH ROW SIGNAL SQLSTATE '45000'")
            #expect(try await server.deliver(refund).string("result") == "parked")
            #expect(try await server.outcomes(of: refund.notificationUUID) == ["parked pending"])
            try await server.end(by: SIGKILL)
            try await server.schema.rows("DROP TRIGGER stop")
            try await server.schema.rows("UPDATE jobs SET due_at = 0")
            try await server.boot()
            let start = ContinuousClock.now
            while try await server.outcomes(of: refund.notificationUUID) != ["applied"],
                start.duration(to: .now) < .seconds(20)
            {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try await server.outcomes(of: refund.notificationUUID) == ["applied"])
            #expect(try await server.status(of: user)["active"]?.flag == false)
            #expect(try await server.schema.number("SELECT COUNT(*) FROM jobs") == 0)
            #expect(try await server.end() == 0)
        }
    }
}
