import AppStore
import Crypto
import Entitlements
import StoreSimulator
import Support
import Testing

/// The events of a set as they came out of the verifier, and the texts that it read.
struct ToldEvents {
    /// What each event states, in the order of the set; the transaction first.
    private(set) var statements: [[Statement]] = []
    /// The same of texts that were signed once more.
    private(set) var repeated: [[Statement]] = []
    /// The transactions and renewal infos, as they are signed.
    private(set) var texts: [String] = []

    private static let key = SymmetricKey(data: Array(UInt8(0)..<32))
    private static let labels = Labels { Array(HMAC<SHA256>.authenticationCode(for: $0, using: key)) }

    /// Signs and verifies the set. Throws when a text is refused.
    init(_ set: EventSet) async throws {
        let authority = try HostileFixture.minted().authority
        let verifier = AppStoreVerifier(
            evidence: EvidenceVerifier(apps: [HostileVectors.app], roots: try authority.trustRoots))
        for (place, event) in set.events.enumerated() {
            for isRepeat in [false, true] {
                var event = event
                event.transaction.appAccountToken = set.isShared ? nil : EventSet.token
                let transaction = try authority.sign(event.transaction).text
                let renewal = try event.renewal.map { try authority.sign($0).text }
                let notification = SimulatedNotification(
                    .didRenew, uuid: "\(place)",
                    about: .data(transaction: transaction, renewalInfo: renewal, status: .active),
                    bundleId: HostileVectors.app.bundleId, at: event.signedAt)
                let delivery = try await verifier.verify(
                    delivery: try authority.sign(notification), at: EventSet.now
                ).get()
                let stated = try Self.statements(of: delivery)
                if isRepeat {
                    repeated.append(stated)
                } else {
                    statements.append(stated)
                    texts += [transaction] + [renewal].compactMap(\.self)
                }
            }
        }
    }

    private static func statements(of delivery: VerifiedDelivery) throws -> [Statement] {
        let transaction = try #require(delivery.transaction)
        let course = VerifiedRenewal.Course(delivery.notification.payload)
        let renewal = delivery.renewalInfo.map {
            Statement.renewal(VerifiedRenewal($0, beside: transaction, telling: course))
        }
        return [.purchase(VerifiedPurchase(transaction, labels: labels))] + [renewal].compactMap(\.self)
    }

    /// The instants at which an answer may change: every date of a fact, and that after a leeway, with what is before.
    var probes: [Int64] {
        let dates = statements.joined().flatMap { statement in
            switch statement {
            case .purchase(let state):
                [state.purchasedAt, state.expiresAt, state.revocation?.revokedAt, state.signedAt].compactMap(\.self)
            case .renewal(let renewal): [renewal.signedAt, renewal.graceEndsAt].compactMap(\.self)
            }
        }
        let ends = statements.joined().compactMap { $0.state?.expiresAt }.map { $0 + Instant.millisecondsPerDay }
        return Set((dates + ends).map(\.milliseconds)).union([EventSet.now]).flatMap { [$0 - 1, $0] }.sorted()
    }
}
