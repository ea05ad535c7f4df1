import Entitlements
import HTTPTypes
import Hummingbird

/// The answer to a write that succeeded.
struct JSONAnswer {
    var status: HTTPResponse.Status = .ok
    let bytes: [UInt8]
    /// True if this is the stored answer to an earlier, equal request.
    var isRepeat = false
    /// True if the act has stored the answer for repeats in its own transaction.
    var isRemembered = false

    /// An answer without a body (204).
    static let nothing = JSONAnswer(status: .noContent, bytes: [])

    var response: Response {
        var response =
            status == .noContent
            ? Response(status: status, headers: [.cacheControl: "no-store"]) : .json(bytes, status: status)
        if isRepeat { response.headers[.idempotencyReplayed] = "true" }
        return response
    }
}
