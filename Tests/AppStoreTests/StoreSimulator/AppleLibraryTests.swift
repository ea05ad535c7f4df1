import AppStore
import Crypto
import Entitlements
import Foundation
import StoreSimulator
import Support
import Testing
import X509

/// Whatever the simulator signs, Apple's own library verifies in strict mode and reads as we do.
@Suite struct AppleLibraryTests {
    private static let app = StoreApp(bundleId: SimulatedStory.bundleID, appAppleId: 1_234_567_890)
    private static let now: Int64 = 1_768_478_400_000
    /// Thirty years, as an installation's certificates live.
    private static let validUntil = now + 10_957 * SimulatedStory.day

    private let authority: DevelopmentAuthority

    init() throws {
        authority = try DevelopmentAuthority(validFrom: 1_609_459_200_000, validUntil: Self.validUntil)
    }

    private func verify(_ texts: [AppleLibrary.Question], under root: Certificate? = nil) throws
        -> [String: AppleLibrary.Answer]
    {
        try AppleLibrary.verify(
            texts, under: root ?? authority.root, of: Self.app.bundleId, Self.app.appAppleId ?? 0)
    }

    @Test func `every kind of text is verified, and decoded to the values that we read`() throws {
        let verifier = EvidenceVerifier(apps: [Self.app], roots: try authority.trustRoots)
        var texts: [AppleLibrary.Question] = []
        var ours: [String: [String: String]] = [:]
        for environment in [StoreEnvironment.sandbox, .production] {
            for (place, chapter) in try SimulatedStory(in: environment).chapters.enumerated() {
                let name = "\(environment.rawValue) \(place) \(chapter.name)"
                let notification = try chapter.event.notification(
                    uuid: "uuid-\(place)", appAppleId: Self.app.appAppleId, signedBy: authority)
                try add(notification, name, verifier, &texts, &ours)
            }
            for (name, notification) in try Self.containers(in: environment, authority) {
                try add(notification, "\(environment.rawValue) \(name)", verifier, &texts, &ours)
            }
        }
        let answers = try verify(texts)
        #expect(texts.count == 298 && answers.count == 298 && ours.count == 298)
        for text in texts {
            #expect(answers[text.name]?.status == "OK", "\(text.name)")
            #expect(answers[text.name]?.values == ours[text.name], "\(text.name)")
        }
    }

    /// Adds a notification and each text inside it, and what we read in them.
    private func add(
        _ notification: SimulatedNotification, _ name: String, _ verifier: EvidenceVerifier,
        _ texts: inout [AppleLibrary.Question], _ ours: inout [String: [String: String]]
    ) throws {
        let environment = notification.environment.rawValue
        func ask(_ kind: String, _ text: String, _ values: [String: String]) {
            texts.append(.init(name: "\(name), \(kind)", kind: kind, environment: environment, text: text))
            ours["\(name), \(kind)"] = values
        }
        let signed = try authority.sign(notification)
        let payload = try verifier.verify(signed, at: Self.validUntil).payload
        var values = PayloadValues.of(payload)
        values["content"] = nil
        let (container, members) = Self.members(of: payload.content)
        for (member, value) in members { values["\(container).\(member)"] = value }
        ask("notification", signed.text, values)
        switch payload.content {
        case .data(let data):
            if let text = data.signedTransactionInfo {
                let verified = try verifier.verify(text, at: Self.validUntil)
                ask("transaction", text.text, PayloadValues.of(verified.payload, environment: environment))
            }
            if let text = data.signedRenewalInfo {
                let verified = try verifier.verify(text, at: Self.validUntil)
                ask("renewal_info", text.text, PayloadValues.of(verified.payload, environment: environment))
            }
        case .appData(let appData):
            let text = try #require(appData.signedAppTransactionInfo)
            let verified = try verifier.verify(text, at: Self.validUntil)
            let values = PayloadValues.of(verified.payload, environment: environment, named: "receiptType")
            ask("app_transaction", text.text, values)
        case .summary, .externalPurchaseToken, .unreadable: break
        }
    }

    private static func members(of content: NotificationPayload.Content) -> (String, [String: String]) {
        switch content {
        case .data(let data): ("data", PayloadValues.of(data))
        case .summary(let summary): ("summary", PayloadValues.of(summary))
        case .externalPurchaseToken(let token): ("externalPurchaseToken", PayloadValues.of(token))
        case .appData(let appData): ("appData", PayloadValues.of(appData))
        case .unreadable: ("", [:])
        }
    }

    /// Notifications about no purchase.
    private static func containers(
        in environment: StoreEnvironment, _ authority: DevelopmentAuthority
    ) throws -> [(String, SimulatedNotification)] {
        var download = SimulatedAppTransaction(bundleId: app.bundleId, at: now)
        download.environment = environment
        download.appAppleId = environment == .production ? app.appAppleId : nil
        let token = (environment == .sandbox ? "SANDBOX_" : "") + "7"
        let contents: [(String, NotificationType, NotificationSubtype?, SimulatedNotification.Content)] = [
            (
                "summary", .renewalExtension, .summary,
                .summary(productId: "annual.3", requestIdentifier: "r", succeeded: 5, failed: 2)
            ),
            (
                "token", .externalPurchaseToken, NotificationSubtype(rawValue: "UNREPORTED"),
                .externalPurchaseToken(id: token, createdAt: now)
            ),
            ("consent", .rescindConsent, nil, .appData(appTransaction: try authority.sign(download).text)),
        ]
        return contents.map { name, type, subtype, content in
            let event = SimulatedEvent(type, subtype, bundleId: app.bundleId, environment: environment, at: now)
            return (name, event.notification(about: content, uuid: name, appAppleId: app.appAppleId))
        }
    }

    @Test func `the library refuses what does not fit, so its acceptance says something`() throws {
        func signed(_ change: (inout SimulatedTransaction) -> Void) throws -> String {
            var sold = SimulatedTransaction(
                "1", of: "pass.30d", type: .nonRenewingSubscription, bundleId: Self.app.bundleId, at: Self.now)
            change(&sold)
            return try authority.sign(sold).text
        }
        let genuine = try signed { _ in }
        let segments = genuine.split(separator: ".")
        let forged = CompactText.base64URL(#"{"signedDate":\#(Self.now),"environment":"Sandbox"}"#.utf8)
        let cases = [
            ("genuine", genuine, "OK"), ("to the last second", try signed { $0.signedDate = Self.validUntil }, "OK"),
            (
                "a day later", try signed { $0.signedDate = Self.validUntil + SimulatedStory.day },
                "VERIFICATION_FAILURE"
            ),
            ("too early", try signed { $0.signedDate = 1_609_459_199_000 }, "VERIFICATION_FAILURE"),
            ("another app", try signed { $0.bundleId = "com.other" }, "INVALID_APP_IDENTIFIER"),
            ("another environment", try signed { $0.environment = .production }, "INVALID_ENVIRONMENT"),
            ("another payload", "\(segments[0]).\(forged).\(segments[2])", "VERIFICATION_FAILURE"),
            ("no key identifiers", try unidentified(), "VERIFICATION_FAILURE"),
        ]
        let texts = cases.map { name, text, _ in
            AppleLibrary.Question(name: name, kind: "transaction", environment: "Sandbox", text: text)
        }
        let answers = try verify(texts)
        for (name, _, status) in cases { #expect(answers[name]?.status == status, "\(name)") }
        let other = try DevelopmentAuthority(validFrom: 1_609_459_200_000, validUntil: Self.validUntil)
        #expect(try verify([texts[0]], under: other.root)["genuine"]?.status == "VERIFICATION_FAILURE")
    }

    /// A text whose certificates are as ours but name no keys: only strict mode refuses it.
    private func unidentified() throws -> String {
        let period = Self.now - SimulatedStory.day...Self.validUntil
        let (intermediateKey, leafKey) = (P384.Signing.PrivateKey(), P256.Signing.PrivateKey())
        var recipes = [
            try DevelopmentAuthority.intermediateRecipe(
                intermediateKey.publicKey, below: authority.rootKey.publicKey, period),
            try DevelopmentAuthority.leafRecipe(leafKey.publicKey, below: intermediateKey.publicKey, period),
        ]
        for place in recipes.indices {
            recipes[place].remove(.X509ExtensionID.subjectKeyIdentifier)
            recipes[place].remove(.X509ExtensionID.authorityKeyIdentifier)
        }
        let intermediate = try recipes[0].mint(signedBy: .init(authority.rootKey))
        let leaf = try recipes[1].mint(signedBy: .init(intermediateKey))
        let sold = SimulatedTransaction(
            "1", of: "pass.30d", type: .nonRenewingSubscription, bundleId: Self.app.bundleId, at: Self.now)
        let header = CompactText.header(certificates: [try leaf.der, try intermediate.der, try authority.root.der])
        let input = CompactText.base64URL(header.json.utf8) + "." + CompactText.base64URL(sold.payload.json.utf8)
        let signature = try leafKey.signature(for: Array(input.utf8))
        return input + "." + CompactText.base64URL(signature.rawRepresentation)
    }
}
