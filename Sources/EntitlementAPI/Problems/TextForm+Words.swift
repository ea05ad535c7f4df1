package import AppStore
import StrictJSON

/// The words to whoever sent a text of another kind or form than its place takes.
extension EvidenceError {
    /// The detail, or in its place what `text` is and where it belongs.
    ///
    /// - Parameter isReceipt: True if a receipt was expected, false for a signed text.
    package func detail(about text: String, sentAsReceipt isReceipt: Bool = false) -> String {
        guard reason == .malformed || reason == .wrongPayloadKind, let form = TextForm(text) else { return detail }
        switch form {
        case .receipt where isReceipt: return detail
        case .signed where !isReceipt && reason == .malformed: return detail
        case .signed, .receipt, .decoded, .encoded, .quoted: return form.words
        }
    }
}

extension Problem {
    /// The problem of a value that stands in place of a signed text.
    static func noSignedText(_ value: JSONValue, at pointer: String) -> Problem {
        let words = value.isObject ? ": the signed text itself, and not the JSON in it." : "."
        return .invalidRequest("The member must be a string" + words, at: pointer)
    }

    /// The problem of a text that is longer than a signed text may be. Receipts often are. Only its beginning is looked
    /// at, which takes no memory worth a refusal.
    static func tooLong(_ text: String) -> Problem {
        let limit = "A signed text may have \(SignedTransaction.maximumBytes) bytes."
        switch TextForm(String(decoding: text.utf8.prefix(SignedTransaction.maximumBytes), as: UTF8.self)) {
        case .signed?, nil: return Problem(.payloadTooLarge, limit)
        case .some(let form): return Problem(.payloadTooLarge, "\(limit) \(form.words)")
        }
    }
}

extension TextForm {
    /// A sentence on what the text is and where it belongs.
    fileprivate var words: String { "This is \(name): \(remedy)." }

    private var name: String {
        switch self {
        case .signed(.renewalInfo?): "signed renewal info"
        case .signed(let kind): "a signed \(kind?.name ?? "text of no kind that the App Store makes")"
        case .receipt: "a receipt"
        case .decoded(.renewalInfo?): "decoded renewal info"
        case .decoded(let kind): kind.map { "a decoded \($0.name)" } ?? "JSON without a signature"
        case .encoded(let form): "base64 of \(form.name)"
        case .quoted(let form): "\(form?.name ?? "a text") in quotation marks"
        }
    }

    private var remedy: String {
        switch innermost {
        case .signed(let kind?), .decoded(let kind?):
            switch kind {
            case .transaction:
                "send \(object) to POST /api/iap/apple/transactions/attach as signedTransactionJWS, or in a restore"
            case .appTransaction: "send \(object) as signedAppTransaction, beside what is attached or restored"
            case .notification: "send \(object) to POST /api/billing/webhooks/apple as signedPayload, as Apple does"
            case .renewalInfo: "it comes inside notifications of the App Store, and no client sends it"
            case .retentionRequest: "nothing here takes it"
            }
        case .signed(nil): "nothing here takes it"
        case .receipt: "send \(object) to POST /api/iap/apple/receipts as receipt_data"
        case .decoded(nil), .encoded, .quoted: "send \(object)"
        }
    }

    /// The text that is to be sent in place of this one.
    private var object: String {
        if case .decoded = innermost { return "the signed text that it was in, such as StoreKit's jwsRepresentation" }
        switch self {
        case .signed, .receipt, .decoded: return "it"
        case .encoded: return "that text without the base64 around it"
        case .quoted: return "it without them"
        }
    }

    /// The text inside all base64 and quotation marks.
    private var innermost: TextForm {
        switch self {
        case .signed, .receipt, .decoded, .quoted(nil): self
        case .encoded(let form), .quoted(let form?): form.innermost
        }
    }
}
