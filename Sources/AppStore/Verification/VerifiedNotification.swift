import Crypto
package import Entitlements

/// A notification V2 that the App Store signed for one of the configured apps. Only ``EvidenceVerifier`` makes one.
///
/// The texts inside are not verified here; ``VerifiedDelivery`` has them verified.
package struct VerifiedNotification: Sendable {
    /// The signed text.
    package let text: SignedText
    /// The decoded payload.
    package let json: [UInt8]
    package let environment: StoreEnvironment
    package let payload: NotificationPayload
    let chain: SigningChain

    fileprivate init(
        _ authentic: AuthenticPayload, _ payload: NotificationPayload, _ environment: StoreEnvironment
    ) {
        self.text = authentic.proof
        self.json = authentic.json
        self.environment = environment
        self.payload = payload
        self.chain = authentic.chain
    }

    /// SHA-256 of the payload without the signatures of the texts inside. It is the same in all repeats of a
    /// notification, although Apple signs the texts inside anew each time.
    package var contentDigest: [UInt8] {
        let said = payload.content.signedTexts.reduce(json) { json, text in
            json.replacing(text.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }.reversed(), with: [])
        }
        return Array(SHA256.hash(data: said))
    }

    /// True if a transaction is of the app and environment that the notification is about.
    package func covers(_ transaction: VerifiedTransaction) -> Bool {
        environment == transaction.environment
            && payload.content.bundleId?.utf8.elementsEqual(transaction.payload.bundleId.utf8) == true
    }
}

extension EvidenceVerifier {
    /// Verifies a notification, but not the texts inside it. A notification whose content cannot be read is accepted
    /// too.
    ///
    /// - Parameter now: Milliseconds since the epoch; `signedDate` must not lie after it. It may lie days before it,
    ///   because Apple repeats deliveries for days.
    /// - Throws: The first reason, in order of precedence.
    package func verify(_ signed: SignedNotification, at now: Int64) throws(EvidenceError) -> VerifiedNotification {
        let authentic = try open(signed.text, maximumBytes: SignedNotification.maximumBytes, boundsNames: false)
        let payload = try authentic.decode(as: .notification, at: now, mayBeUndated: true) {
            (reader) throws(EvidenceError) in
            try NotificationPayload(reader, isReadable: authentic.isBounded)
        }
        let content = payload.content
        switch content {
        case .unreadable(let unreadable):
            // A notification that names no app is accepted, because it may be about ours. It has no effect.
            if let named = unreadable.bundleId { _ = try requireApp(named) }
        case .data, .summary, .externalPurchaseToken, .appData:
            try requireApp(content.bundleId, appAppleId: content.appAppleId, in: content.environment)
        }
        return VerifiedNotification(authentic, payload, try requireEnvironment(content.environment))
    }
}
