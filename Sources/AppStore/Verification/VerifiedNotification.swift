import Crypto
package import Entitlements

/// A notification V2 that the App Store signed, for one of our apps. Only ``EvidenceVerifier`` makes one.
///
/// The texts inside are signed on their own and not verified by this: ``VerifiedDelivery`` has them too.
package struct VerifiedNotification: Sendable {
    /// The text it was made from.
    package let text: SignedText
    /// The payload as it was signed, decoded.
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

    /// SHA-256 over what it says, the same in all repeats: the payload without the signatures of the texts inside,
    /// which are others each time that the same is signed.
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
    /// Verifies a notification, not the texts inside it. A notification whose content cannot be read is verified too.
    ///
    /// - Parameter now: Milliseconds since the epoch; bounds `signedDate`, and nothing else. Apple repeats a delivery
    ///   for days.
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
            // A notification that names no app may be ours; it changes nothing.
            if let named = unreadable.bundleId { _ = try requireApp(named) }
        case .data, .summary, .externalPurchaseToken, .appData:
            try requireApp(content.bundleId, appAppleId: content.appAppleId, in: content.environment)
        }
        return VerifiedNotification(authentic, payload, try requireEnvironment(content.environment))
    }
}
