import Entitlements
import HTTPTypes
import Hummingbird

/// The answer of a write that succeeds.
struct JSONAnswer {
    var status: HTTPResponse.Status = .ok
    let bytes: [UInt8]
    /// True if this request was answered before, and this is the first answer.
    var isRepeat = false
    /// True if the act has stored the answer already, in its own transaction.
    var isRemembered = false

    /// Success that has nothing to tell.
    static let nothing = JSONAnswer(status: .noContent, bytes: [])

    var response: Response {
        var response =
            status == .noContent
            ? Response(status: status, headers: [.cacheControl: "no-store"]) : .json(bytes, status: status)
        if isRepeat { response.headers[.idempotencyReplayed] = "true" }
        return response
    }
}

/// A reply of the ledger, and whether it gave it before.
struct Told<Reply: Sendable>: Sendable {
    let reply: Reply
    let isRepeat: Bool
}

extension Decision {
    /// This decision, whose reply also says whether it repeats an earlier one.
    var tellingRepeats: Decision<Told<Reply>, Refusal> {
        let isRepeat = changesNothing
        return mapReply { Told(reply: $0, isRepeat: isRepeat) }
    }
}
