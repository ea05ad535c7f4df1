import Crypto
import Entitlements

/// The encoding of a statement in ledgers: a JSON array. It begins with the purchase and the instant of signing. A
/// field with its usual value is null, and nulls at the end are left out.
///
/// The entry's hash covers it, and it is part of a state's identity (`semantics.md` §1). So the encoding never changes,
/// and a new field is only ever added at the end.
enum StatementContent {
    static func of(_ statement: Statement) -> JSONField {
        switch statement {
        case .purchase(let state): .list(fields(of: state))
        case .renewal(let renewal): of(renewal)
        }
    }

    /// The encoded statement of a state, and the SHA-256 of its content without the instant of signing.
    static func row(of state: VerifiedPurchase) -> (statement: String, digest: [UInt8]) {
        var fields = fields(of: state)
        let statement = JSONField.list(fields).json
        fields[1] = .null
        var text = JSONField.list(fields).json
        return (statement, text.withUTF8 { Array(SHA256.hash(data: UnsafeRawBufferPointer($0))) })
    }

    private static func fields(of state: VerifiedPurchase) -> [JSONField] {
        let isNamedAlike = state.transactionID.text == state.key.externalID.text
        let names = state.productNames.map { JSONField.text($0.text) }
        return trimmed([
            KeyContent.of(state.key), JSONField(state.signedAt.milliseconds),
            isNamedAlike ? .null : .text(state.transactionID.text),
            state.isOriginal == isNamedAlike ? .null : JSONField(state.isOriginal),
            JSONField(state.periodID), names.count == 1 ? names[0] : .list(names), .text(state.type.text),
            JSONField(state.purchasedAt.milliseconds),
            state.originallyPurchasedAt == state.purchasedAt
                ? .null : JSONField(state.originallyPurchasedAt.milliseconds),
            JSONField(state.expiresAt), state.quantity == 1 ? .null : JSONField(state.quantity),
            state.isFamilyShared ? JSONField(true) : .null, state.isUpgraded ? JSONField(true) : .null,
            JSONField(state.revocation?.revokedAt), state.revocation.map { share(of: $0) } ?? .null,
            JSONField(state.account?.text), JSONField(state.accountToken?.text),
            JSONField(state.price.map { String($0.milliunits) }), JSONField(state.price?.currency),
            JSONField(state.offer), JSONField(state.subscriptionGroup), JSONField(state.suspension?.startsAt),
            JSONField(state.suspension?.endsAt), JSONField(state.eventID), JSONField(state.item),
            JSONField(state.bill?.id), state.bill.map { JSONField($0.isPaid) } ?? .null,
            JSONField(state.bill?.graceEndsAt), JSONField(state.bill?.amountPaid.map(String.init)),
            JSONField(state.revocation?.payment.map(String.init)), state.isBought ? JSONField(true) : .null,
        ])
    }

    /// The field of the refunded share: null for a full refund, which is the usual case.
    private static func share(of revocation: Revocation) -> JSONField {
        guard let share = revocation.share else { return .text(unclear) }
        return share == Revocation.fullShare ? .null : JSONField(share)
    }

    private static let unclear = "unclear"

    private static func of(_ renewal: VerifiedRenewal) -> JSONField {
        .list(
            trimmed([
                KeyContent.of(renewal.key), JSONField(renewal.signedAt.milliseconds), JSONField(renewal.willRenew),
                JSONField(renewal.renewsInto?.text), JSONField(renewal.graceEndsAt), JSONField(renewal.isInRetry),
                JSONField(renewal.end?.rawValue), JSONField(renewal.priceConsent?.rawValue),
                JSONField(renewal.endedAt), JSONField(renewal.eventID), JSONField(renewal.offer),
                JSONField(renewal.price.map { String($0.milliunits) }), JSONField(renewal.price?.currency),
                renewal.winBackOffers.isEmpty ? .null : .list(renewal.winBackOffers.map(JSONField.text)),
                JSONField(renewal.course?.rawValue),
            ]))
    }

    private static func trimmed(_ fields: [JSONField]) -> [JSONField] {
        var fields = fields
        while fields.last == .null { fields.removeLast() }
        return fields
    }

    /// The state of a purchase that `fields` encode; nil for fields that this program never writes.
    static func purchase(_ fields: [JSONField]) -> VerifiedPurchase? {
        guard let key = KeyContent.read(fields, at: 0), let signedAt = fields.instant(1),
            let names = names(fields, at: 5), let type = fields.text(6), let purchasedAt = fields.instant(7),
            let revocation = revocation(fields), let price = price(fields, at: 17)
        else { return nil }
        let transactionID = fields.text(2) ?? key.externalID.text
        return VerifiedPurchase(
            key: key, transactionID: TransactionID(transactionID),
            isOriginal: fields.flag(3) ?? (transactionID == key.externalID.text), periodID: fields.text(4),
            productID: names[0], otherNames: Array(names.dropFirst()), type: StatedType(text: type),
            purchasedAt: purchasedAt, originallyPurchasedAt: fields.instant(8), expiresAt: fields.instant(9),
            quantity: fields.integer(10) ?? 1, isFamilyShared: fields.flag(11) ?? false,
            isUpgraded: fields.flag(12) ?? false, offer: fields.text(19), subscriptionGroup: fields.text(20),
            suspension: fields.instant(21).map { Suspension(startsAt: $0, endsAt: fields.instant(22)) },
            price: price.value, revocation: revocation.value, accountToken: fields.text(16).map { Label($0) },
            account: fields.text(15).map { Label($0) }, signedAt: signedAt, eventID: fields.text(23),
            item: fields.text(24),
            bill: fields.flag(26).map {
                Bill(
                    fields.text(25), isPaid: $0, graceEndsAt: fields.instant(27),
                    amountPaid: fields.text(28).flatMap { Int64($0) })
            }, isBought: fields.flag(30) ?? false)
    }

    /// The state of a renewal that `fields` encode; nil for fields that this program never writes.
    static func renewal(_ fields: [JSONField]) -> VerifiedRenewal? {
        guard let key = KeyContent.read(fields, at: 0), let signedAt = fields.instant(1),
            let willRenew = fields.flag(2), let isInRetry = fields.flag(5), let price = price(fields, at: 11)
        else { return nil }
        return VerifiedRenewal(
            key: key, signedAt: signedAt, willRenew: willRenew, renewsInto: fields.text(3).map { ProductID($0) },
            graceEndsAt: fields.instant(4), isInRetry: isInRetry, end: fields.text(6).map { RenewalEnd(rawValue: $0) },
            priceConsent: fields.text(7).flatMap { VerifiedRenewal.PriceConsent(rawValue: $0) },
            endedAt: fields.instant(8), eventID: fields.text(9), offer: fields.text(10), price: price.value,
            winBackOffers: texts(fields, at: 13),
            course: fields.text(14).flatMap { VerifiedRenewal.Course(rawValue: $0) })
    }

    private static func names(_ fields: [JSONField], at position: Int) -> [ProductID]? {
        if let name = fields.text(position) { return [ProductID(name)] }
        let names = texts(fields, at: position).map { ProductID($0) }
        return names.isEmpty ? nil : names
    }

    /// The texts of the list at `position`; none if there is no list.
    private static func texts(_ fields: [JSONField], at position: Int) -> [String] {
        (fields.list(position) ?? []).compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// An optional field that could be read. A function returns nil in place of a `Read` if the field is malformed.
    private struct Read<Value> {
        let value: Value?
    }

    private static func revocation(_ fields: [JSONField]) -> Read<Revocation>? {
        guard let revokedAt = fields.instant(13) else { return Read(value: nil) }
        var share: Int? = Revocation.fullShare
        if let text = fields.text(14) {
            share = Int(text)
            guard share != nil || text == unclear else { return nil }
        }
        let payment = fields.text(29).flatMap { Int64($0) }
        return Read(value: Revocation(revokedAt: revokedAt, share: share, payment: payment))
    }

    private static func price(_ fields: [JSONField], at position: Int) -> Read<Price>? {
        guard let text = fields.text(position) else { return Read(value: nil) }
        guard let milliunits = Int64(text), let currency = fields.text(position + 1) else { return nil }
        return Read(value: Price(milliunits: milliunits, currency: currency))
    }
}

/// The encoding of a purchase's key in facts: a list of four texts.
enum KeyContent {
    static func of(_ key: PurchaseKey) -> JSONField {
        .list([
            .text(key.source.text), .text(key.app.text), .text(key.environment.rawValue), .text(key.externalID.text),
        ])
    }

    /// The key in the field at `position`; nil if the field is no key.
    static func read(_ fields: [JSONField], at position: Int) -> PurchaseKey? {
        guard let parts = fields.list(position), let source = parts.text(0), let app = parts.text(1),
            let environment = parts.text(2).flatMap(StoreEnvironment.init(rawValue:)), let id = parts.text(3)
        else { return nil }
        return PurchaseKey(
            source: Source(source), app: AppID(app), environment: environment, externalID: ExternalID(id))
    }
}
