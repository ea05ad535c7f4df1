import Entitlements
import HTTPTypes
import Hummingbird

/// A caller's name for a request, by which a repeat is known: 1–255 visible ASCII characters.
struct IdempotencyKey: Identifier {
    let text: String

    /// Nil when `text` is not of the form above.
    init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// - Throws: `invalid_request` unless the request has one.
    init(of request: Request) throws(Problem) {
        guard let key = request.headers[.idempotencyKey].flatMap({ IdempotencyKey($0) }) else {
            throw .invalidRequest(
                "The header is required: 1 to \(Self.maximumLength) visible ASCII characters.", at: "Idempotency-Key")
        }
        self = key
    }

    private static let maximumLength = 255
}
