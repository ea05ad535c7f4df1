import AppStore
import Entitlements
import Foundation
import Support
import Testing

@testable import Gatepass

/// `gatepass simulate` tells a server what Apple would, and people what came of it.
@Suite(.serialized) struct SimulateEventTests {
    private static let notified = "POST /api/billing/webhooks/apple"
    private static let attached = "POST /api/iap/apple/transactions/attach"
    private static let issued = "9ad56bd2-0bc6-42e0-af24-fd996d87a1e6"

    /// An installation whose server is a receiver.
    private struct Shop {
        let directory: String
        let receiver: StoreReceiver

        /// Throws when it cannot be made.
        init(refusing refusal: StoreReceiver.Answer? = nil) throws {
            directory = "/tmp/gatepass-shop-\(UInt32.random(in: .min ... .max))"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            receiver = try StoreReceiver { request, before in
                switch request.line {
                case SimulateEventTests.notified:
                    let isRepeat = before.contains { $0.body == request.body }
                    return refusal ?? .init(200, #"{"result":"\#(isRepeat ? "duplicate" : "applied")"}"#)
                case SimulateEventTests.attached: return .init(200, #"{"outcome":"attached"}"#)
                case "GET /api/iap/apple/account-token":
                    return .init(200, #"{"app_account_token":"\#(SimulateEventTests.issued)"}"#)
                case "GET /api/iap/apple/status":
                    return .init(
                        200, #"{"active":true,"tier":"pro","state":"active","expires_at":"2027-01-01T00:00:00Z"}"#)
                default: return .init(404, #"{"code":"not_found"}"#)
                }
            }
            try Installation(path: directory).announce(["address": "http://127.0.0.1:\(receiver.port)"])
        }

        func close() {
            receiver.stop()
            try? FileManager.default.removeItem(atPath: directory)  // it is under /tmp
        }

        /// Tells a story. Throws when the program cannot be run.
        func simulate(_ words: [String]) async throws -> EndToEndAnswer {
            try await DevelopmentInstallation.run(["simulate"] + words + ["--data-dir", directory])
        }

        /// The notification and the texts inside it, verified under the installation's root. Throws when one is not
        /// genuine.
        func read(_ text: String) throws -> (
            notification: NotificationPayload, transaction: TransactionPayload?, renewal: RenewalInfoPayload?
        ) {
            let root = try Data(contentsOf: URL(fileURLWithPath: directory + "/authority/root.pem"))
            let verifier = EvidenceVerifier(
                apps: [StoreApp(bundleId: "com.airport.vpn", appAppleId: 1_234_567_890)],
                roots: try TrustRoots(files: [Array(root)]))
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            let payload = try verifier.verify(SignedNotification(text), at: now).payload
            guard case .data(let data) = payload.content else { return (payload, nil, nil) }
            return (
                payload, try data.signedTransactionInfo.map { try verifier.verify($0, at: now).payload },
                try data.signedRenewalInfo.map { try verifier.verify($0, at: now).payload }
            )
        }

        /// What the bodies of notifications say, in their order.
        var told: [String] {
            get throws {
                try receiver.requests.filter { $0.line == SimulateEventTests.notified }.map { request in
                    let body = try JSONDecoder().decode([String: String].self, from: Data(request.body.utf8))
                    let payload = try read(body["signedPayload"] ?? "").notification
                    let subtype = payload.subtype.map { " " + $0.rawValue } ?? ""
                    return payload.notificationType.rawValue + subtype
                }
            }
        }
    }

    @Test func `a plan lives through everything, one notification for each act, across processes`() async throws {
        let shop = try Shop()
        defer { shop.close() }
        for (words, said) in [
            (["subscribe", "--trial"], "alice subscribed to com.visla.gps.annual3 until "),
            (["cancel"], "Renewal is off for com.visla.gps.annual3 until "),
            (["cancel", "--undo"], "Renewal is on for com.visla.gps.annual3 until "),
            (["downgrade", "--to", "com.visla.gps.monthly1"], " will renew as com.visla.gps.monthly1"),
            (["downgrade", "--to", "com.visla.gps.annual3"], " will renew as com.visla.gps.annual3"),
            (["upgrade", "--to", "com.visla.gps.monthly1"], "Upgraded to com.visla.gps.monthly1 until "),
            (["price-increase"], "A higher price awaits consent for com.visla.gps.monthly1 until "),
            (["price-increase", "--accepted"], "A higher price is accepted for "),
            (["billing-failure", "--grace-days", "16"], "Billing failed for com.visla.gps.monthly1 until "),
            (["billing-failure", "--grace-over"], "Grace is over for "), (["recover"], "Recovered "),
            (["refund"], "Apple refunded transaction "), (["reverse"], "Apple undid the refund of transaction "),
            (["notify", "METADATA_UPDATE"], "Notified METADATA_UPDATE about transaction "),
            (["expire"], "Ended com.visla.gps.monthly1 until "), (["subscribe"], "alice subscribed to "),
            (["renew"], "Renewed com.visla.gps.annual3 until "),
        ] {
            let answer = try await shop.simulate(words)
            #expect(answer.status == 0 && answer.text.contains(said), "\(words): \(answer.text)")
            let lines = answer.text.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasSuffix("applied"), "\(answer.text)")
            #expect(lines.last == "alice has tier pro, until 2027-01-01T00:00:00Z")
        }
        #expect(
            try shop.told == [
                "SUBSCRIBED INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED",
                "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_PREF DOWNGRADE",
                "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_PREF UPGRADE", "PRICE_INCREASE PENDING",
                "PRICE_INCREASE ACCEPTED", "DID_FAIL_TO_RENEW GRACE_PERIOD", "GRACE_PERIOD_EXPIRED",
                "DID_RENEW BILLING_RECOVERY", "REFUND", "REFUND_REVERSED", "METADATA_UPDATE", "EXPIRED",
                "SUBSCRIBED RESUBSCRIBE", "DID_RENEW",
            ])
        #expect(shop.receiver.requests.count { $0.line == Self.attached } == 2)
    }

    @Test func `a notification may be delivered twice, and bears one name`() async throws {
        let shop = try Shop()
        defer { shop.close() }
        #expect(try await shop.simulate(["subscribe", "--by-app"]).status == 0)
        #expect(try shop.told == [])
        let answer = try await shop.simulate(["refund", "--percent", "33.333", "--twice"])
        #expect(answer.status == 0 && answer.text.contains("Apple refunded 33.333 % of transaction"), "\(answer.text)")
        #expect(answer.text.contains(": applied, duplicate\n"), "\(answer.text)")
        #expect(try shop.told == ["REFUND", "REFUND"])
        #expect(try await shop.simulate(["reverse"]).status == 0)
        let half = try await shop.simulate(["refund", "--percent", "50"])
        #expect(half.text.contains("Apple refunded 50 % of transaction"), "\(half.text)")
        let json = try await shop.simulate(["reverse", "--twice", "--json"])
        #expect(json.count("answers") == 2 && json.string("answers.1.answer.result") == "duplicate", "\(json.text)")
        #expect(json.string("notification_type") == "REFUND_REVERSED" && json.string("user_status.tier") == "pro")
        let read = try shop.read(try #require(json.string("signed_payload")))
        #expect(read.notification.notificationUUID == json.string("notification_uuid"))
        #expect(read.transaction?.transactionId == json.string("transaction_id"))
        #expect(read.transaction?.revocationDate == nil && read.renewal?.autoRenewStatus == .on)
    }

    @Test func `who buys by notification alone is named by the token that the server issued`() async throws {
        let shop = try Shop()
        defer { shop.close() }
        for (words, type) in [(["purchase"], "ONE_TIME_CHARGE"), (["subscribe"], "SUBSCRIBED")] {
            let answer = try await shop.simulate(words + ["--by-notification", "--json"])
            #expect(answer.status == 0 && answer.string("notification_type") == type, "\(answer.text)")
            let read = try shop.read(try #require(answer.string("signed_payload")))
            #expect(read.transaction?.appAccountToken == Self.issued)
        }
        #expect(!shop.receiver.requests.contains { $0.line == Self.attached })
        let asked = try #require(shop.receiver.requests.first { $0.line == "GET /api/iap/apple/account-token" })
        #expect(asked.header.contains("Bearer "))
        let webhook = try #require(shop.receiver.requests.first { $0.line == Self.notified })
        #expect(!webhook.header.contains("Bearer "))
    }

    @Test func `one-time purchases are refunded, given back and withdrawn, and asked about`() async throws {
        let shop = try Shop()
        defer { shop.close() }
        let addOn = ["purchase", "--product", "com.airport.vpn.addon.xyz", "--family-shared", "--user", "kid"]
        #expect(try await shop.simulate(addOn).status == 0)
        #expect(try await shop.simulate(["purchase"]).status == 0)
        #expect(try await shop.simulate(["revoke"]).text.contains("it is not shared within a family"))
        for words in [
            ["notify", "CONSUMPTION_REQUEST", "--reason", "LEGAL"], ["refund"], ["notify", "REFUND_DECLINED"],
            ["reverse"], ["revoke", "--user", "kid"], ["notify", "TEST"], ["notify", "RESCIND_CONSENT"],
            ["notify", "EXTERNAL_PURCHASE_TOKEN", "--subtype", "UNREPORTED"],
            ["notify", "RENEWAL_EXTENSION", "--subtype", "SUMMARY"], ["notify", "SOMETHING_NEW"],
        ] {
            let answer = try await shop.simulate(words)
            #expect(answer.status == 0, "\(words): \(answer.text)")
        }
        #expect(
            try shop.told == [
                "CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE", "TEST",
                "RESCIND_CONSENT", "EXTERNAL_PURCHASE_TOKEN UNREPORTED", "RENEWAL_EXTENSION SUMMARY", "SOMETHING_NEW",
            ])
    }

    @Test func `what is only printed is kept too, and what the server refuses did not happen`() async throws {
        let shop = try Shop(refusing: .init(503, #"{"code":"unavailable"}"#))
        defer { shop.close() }
        let printed = try await shop.simulate(["subscribe", "--print", "--at", "2025-01-15T00:00:00Z"])
        #expect(printed.status == 0 && shop.receiver.requests.isEmpty, "\(printed.text)")
        let first = try shop.read(printed.text.trimmingCharacters(in: .newlines))
        #expect(first.transaction?.expiresDate == 1_768_435_200_000)
        let refused = try await shop.simulate(["renew", "--at", "2026-01-15T00:00:00Z"])
        #expect(refused.status == 1 && refused.text.contains("unavailable"), "\(refused.text)")
        #expect(!refused.text.contains("Renewed"))
        let renewed = try await shop.simulate(["renew", "--print", "--at", "2026-01-15T00:00:00Z"])
        #expect(renewed.status == 0, "\(renewed.text)")
        let second = try shop.read(renewed.text.trimmingCharacters(in: .newlines))
        #expect(second.transaction?.purchaseDate == 1_768_435_200_000)
        #expect(second.transaction?.originalTransactionId == first.transaction?.transactionId)
        #expect(second.transaction?.expiresDate == 1_799_971_200_000)
    }

    @Test func `what does not fit is refused with the way out, and nothing is sent`() async throws {
        let shop = try Shop()
        defer { shop.close() }
        for (words, status, complaint) in [
            (["renew"], 1, "alice has no subscription here: run `gatepass simulate subscribe` first"),
            (["refund"], 1, "nothing was delivered to alice here"),
            (["refund", "--transaction", "9"], 1, "no transaction 9 was sold here"),
            (["subscribe", "--product", "com.airport.vpn.pass.30d"], 64, "com.airport.vpn.pass.30d is no plan"),
            (["purchase", "--product", "com.visla.gps.annual3"], 64, "is a plan: use `gatepass simulate subscribe`"),
            (["subscribe", "--by-app", "--by-notification"], 64, "exclude each other"),
            (["subscribe", "--days", "0"], 64, "--days: write 1 or more"),
            (["billing-failure", "--grace-days", "0"], 64, "--grace-days: write 1 or more"),
            (["subscribe", "--print"], 0, "eyJ"), (["subscribe"], 1, "alice is subscribed to com.visla.gps.annual3"),
            (["renew", "--at", "2021-06-01T00:00:00Z"], 1, "name a later --at"), (["renew", "--print"], 0, "eyJ"),
            (["expire"], 1, "the newest period begins at "), (["cancel", "--undo"], 1, "renewal is on"),
            (["recover"], 1, "no charge is being retried"),
            (["upgrade", "--to", "com.visla.gps.annual3"], 1, "it is of com.visla.gps.annual3 already"),
        ] {
            let answer = try await shop.simulate(words)
            #expect(answer.status == status && answer.text.contains(complaint), "\(words): \(answer.text)")
        }
        #expect(shop.receiver.requests.isEmpty)
    }

    @Test func `the certificates of an installation live for thirty years`() async throws {
        let shop = try Shop()
        defer { shop.close() }
        #expect(try await shop.simulate(["notify", "TEST", "--print"]).status == 0)
        for name in ["root", "intermediate", "leaf"] {
            let certificate = "\(shop.directory)/authority/\(name).pem"
            for (days, isAlive) in [(10_956, true), (10_958, false)] {
                let ends = "\(days * 86_400)"
                let check = ["openssl", "x509", "-in", certificate, "-noout", "-checkend", ends]
                #expect(try ChildProcess.start(check).waitForEnd() == (isAlive ? 0 : 1), "\(name)")
            }
        }
    }
}
