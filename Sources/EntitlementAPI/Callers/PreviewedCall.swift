import HTTPTypes
import Hummingbird
import StrictJSON
import Synchronization

/// The preview that the acts of one request make, in place of what they would record.
package final class PreviewSheet: Sendable {
    private let noted = Mutex(Preview())

    var preview: Preview { noted.withLock { $0 } }

    func note(_ statuses: [PreviewedStatus]) {
        noted.withLock { $0.statuses = statuses }
    }
}

extension ServerCall {
    /// True if the query asks for a preview: `dry_run=1`.
    ///
    /// - Throws: `invalid_request` for a value that is no flag.
    func isDryRun() throws(Problem) -> Bool {
        try Query(request.uri.query).flag(Endpoint.dryRun)
    }

    /// The answer that `act` would give, with a preview beside it. Acts are previewed by the call that `act` gets.
    ///
    /// - Throws: The error of `act`.
    func previewing(_ act: (ServerCall) async throws(Problem) -> JSONAnswer) async throws(Problem) -> Response {
        var dry = self
        let sheet = PreviewSheet()
        dry.previewSheet = sheet
        let answer = try await act(dry)
        return .json(sheet.preview.bytes(beside: answer.bytes))
    }
}

extension SignedCall {
    /// The request's idempotency key. A preview needs none; then a new one stands for it.
    ///
    /// - Throws: `invalid_request` if it is malformed, or missing though the act is to be carried out.
    func idempotencyKey() throws(Problem) -> String {
        guard previewSheet != nil, request.headers[.idempotencyKey] == nil else {
            return try IdempotencyKey(of: request).text
        }
        return api.newID()
    }
}

extension JSONBody {
    /// Refuses a member that asks for a preview, whatever its value and spelling. Ignored as an unknown member, it
    /// would let the act be carried out that its sender only wanted to see.
    ///
    /// - Parameter isOffered: True if the query of the request may ask for a preview.
    /// - Throws: `invalid_request`.
    func refusePreview(isOffered: Bool) throws(Problem) {
        let asking = value.members?.first { $0.name.lowercased().filter { !"_-".contains($0) } == "dryrun" }
        guard let asking else { return }
        throw .invalidRequest(
            isOffered
                ? "A preview is asked for with ?\(Endpoint.dryRun)=1." : "This request has no preview: leave it out.",
            at: "#/" + asking.name)
    }
}
