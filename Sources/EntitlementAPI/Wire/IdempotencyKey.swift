import Entitlements
import HTTPTypes
import Hummingbird

/// The value of the header `Idempotency-Key`, by which a caller marks repeats of a request: 1–255 visible ASCII
/// characters.
struct IdempotencyKey: Identifier {
    let text: String

    /// Nil unless `text` is 1–255 visible ASCII characters.
    init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// The key of a request.
    ///
    /// - Throws: `invalid_request` if it is missing or malformed.
    init(of request: Request) throws(Problem) {
        guard let key = request.headers[.idempotencyKey].flatMap({ IdempotencyKey($0) }) else {
            throw .invalidRequest(
                "The header is required: 1 to \(Self.maximumLength) visible ASCII characters.", at: "Idempotency-Key")
        }
        self = key
    }

    private static let maximumLength = 255
}
