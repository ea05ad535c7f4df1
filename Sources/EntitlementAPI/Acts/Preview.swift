package import Entitlements
package import LedgerStore

/// The status of a person before and after an act that was only previewed.
package struct PreviewedStatus: Sendable {
    package let before: Status
    package let after: Status
}

extension Previewed {
    /// The statuses of the people whom the act concerns, in the order of their ids.
    ///
    /// - Throws: `CancellationError` once nobody waits for them.
    package func statuses(in context: FoldContext) throws -> [PreviewedStatus] {
        try users.map { user in
            PreviewedStatus(
                before: try before.timeline(of: user, in: context).statusUnlessCancelled(at: before.now),
                after: try after.timeline(of: user, in: context).statusUnlessCancelled(at: before.now))
        }
    }
}

extension Timeline {
    /// - Throws: `CancellationError` once nobody waits for the status.
    fileprivate func statusUnlessCancelled(at instant: Instant) throws -> Status {
        try Task.checkCancellation()
        return status(at: instant)
    }
}

/// The part of a preview beside the answer that the act would give: a sentence about an act that is not recorded in a
/// ledger, and the statuses that would change.
package struct Preview: Sendable {
    package var would: String?
    package var statuses: [PreviewedStatus] = []

    package init(would: String? = nil, statuses: [PreviewedStatus] = []) {
        self.would = would
        self.statuses = statuses
    }

    /// `answer`, the JSON object that the act would answer with, with the member `preview`.
    package func bytes(beside answer: [UInt8]) -> [UInt8] {
        var json = JSONWriter(capacity: answer.count + 4096)
        json.beginObject()
        if answer.count > 2 { json.append(membersOf: answer) }
        json.name("preview")
        json.object { json in
            json.member("would", would)
            json.member("users", objects: statuses) { json, status in
                json.member("user_id", status.before.user.text)
                json.name("before")
                json.append(status.before, StatusBody.Parts())
                json.name("after")
                json.append(status.after, StatusBody.Parts())
            }
        }
        json.endObject()
        return json.bytes
    }
}

extension Erasure {
    /// The preview of an erasure of `user`; nil for a user who was never seen.
    package func previewed(_ user: UserID) async throws(ServiceFailure) -> Preview? {
        guard let rows = try await preview(user) else { return nil }
        let counts = rows.map { "\($0.rows) of \($0.table)" }.joined(separator: ", ")
        return Preview(would: "Rows that would be deleted, or emptied of names: \(counts). Facts stay.")
    }
}

extension APIKeyRequest {
    /// The preview of the making of the key.
    package var preview: Preview {
        let scopes = scopes.sorted().map(\.rawValue).joined(separator: ", ")
        return Preview(would: "A key named \(name) would be made, with the scopes \(scopes).")
    }
}

extension APIKey {
    /// The preview of a revocation of the key.
    package var previewOfRevocation: Preview {
        Preview(
            would: revokedAt.map { "The key \(id) (\(name)) is revoked since \(RFC3339.text(of: $0))." }
                ?? "The key \(id) (\(name)) would be revoked, on every server within two seconds.")
    }
}

extension Inbox {
    /// The job, and the preview of its revival; nil if there is no such job.
    package func previewedRevival(
        of id: UInt64
    ) async throws(ServiceFailure) -> (job: RecordedJob, preview: Preview)? {
        guard let job = try await job(id) else { return nil }
        let words =
            if job.state != .dead {
                "stays as it is: it is not dead"
            } else if let delivery = job.delivery, try await !isLeft(of: delivery) {
                "stays as it is: nothing is left of its delivery to place"
            } else {
                "would be tried again at once, with its tries counted from 0"
            }
        return (job, Preview(would: "The job \(id) \(words)."))
    }

    /// The delivery, and the preview of a replay of it; nil if there is no such delivery.
    package func previewedReplay(
        of id: UInt64
    ) async throws(ServiceFailure) -> (delivery: RecordedDelivery, preview: Preview)? {
        guard let delivery = try await delivery(id) else { return nil }
        let state = delivery.outcome.result.rawValue + (delivery.outcome.reason.map { " (\($0.rawValue))" } ?? "")
        let words =
            if try await !isLeft(of: id) {
                "stays as it is, \(state): nothing is left of it to place"
            } else if delivery.outcome.result == .applied {
                "stays applied: what it changed is not changed twice"
            } else {
                "would be placed again; it is \(state)"
            }
        return (delivery, Preview(would: "The delivery \(id) \(words)."))
    }

    /// True if something is left of a delivery to place.
    private func isLeft(of delivery: UInt64) async throws(ServiceFailure) -> Bool {
        let content = try await content(of: delivery)
        return content?.text != nil || content?.takeback != nil
    }
}
