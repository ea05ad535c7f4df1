import Foundation

/// The end of a transaction's way to the server.
public enum Delivery: Sendable, Equatable {
    /// The purchase is the user's, and finished. With a reason it gives nothing now, as with `unknown_product`.
    case delivered(reason: String?)
    /// No answer yet, or a parent is asked (Ask to Buy): the transaction comes again by itself.
    case pending
    /// The person has to sign in, or by another login: `deliverUnfinished()` after it.
    case afterSignIn(GatepassError)
    /// Paid and not taken: tell the person once. The next try is on another day; nil where that is not due yet.
    case refused(GatepassError?)
}

extension Gatepass {
    /// The answer about a purchase that is the user's now.
    public struct Attachment: Sendable, Equatable, Decodable {
        /// `attached`, `already_attached`, `revoked` or `recorded`.
        public let outcome: String
        /// True where the app finishes the transaction.
        public let finish: Bool
        /// The cause why it gives nothing now, such as `unknown_product`: it is paid, and begins to count by itself.
        public let reason: String?
        public let status: Status
    }

    /// Makes a purchase the user's. `jws` is StoreKit's `jwsRepresentation`, `proof` that of the `AppTransaction`.
    public func attach(_ jws: String, proof: String? = nil) async throws(GatepassError) -> Attachment {
        var body = ["signedTransactionJWS": jws]
        body["signedAppTransaction"] = proof
        return try await call(.post("/api/iap/apple/transactions/attach", body)) { keep($0.status, number: $1) }
    }

    /// The user's account token, the same each time; nil where it cannot be had within five seconds, which must not
    /// stop a sale.
    public func accountToken() async -> UUID? {
        struct Answer: Decodable { let appAccountToken: UUID }
        let (first, reply) = AsyncStream.makeStream(of: UUID?.self)
        Task {
            let answer: Answer? = try? await call(Request(path: "/api/iap/apple/account-token"))  // no answer: no token
            reply.yield(answer?.appAccountToken)
        }
        Task {
            try? await Task.sleep(for: .seconds(5))  // it is not cancelled
            reply.yield(nil)
        }
        for await token in first { return token }
        return nil
    }

    // MARK: Delivering

    /// Sends a transaction until there is an answer, and finishes it exactly where the answer says so. StoreKit brings
    /// those that are not finished again at each start, so that a purchase survives whatever ends the app. `name` tells
    /// transactions apart: one that is under way is not sent beside itself.
    func deliver(_ jws: String, name: String, finish: @escaping @Sendable () async -> Void) async -> Delivery {
        if let underWay = deliveries[name] { return await underWay.value }
        let delivery = Task { await sent(jws, name, finish) }
        deliveries[name] = delivery
        defer { deliveries[name] = nil }
        return await delivery.value
    }

    private func sent(_ jws: String, _ name: String, _ finish: @Sendable () async -> Void) async -> Delivery {
        // The day of the last `never` to this user. A debug build tries at each start.
        let today = Data("\(Int(device.date().timeIntervalSince1970 / 86_400))".utf8)
        var note: String { "refused \(name) \(record.subject ?? "")" }
        if !device.isDebugBuild, (try? device.notes.read(note)) == today { return .refused(nil) }  // it does not throw
        var proof: String?
        if case .appTransaction = signIn { proof = await device.proof() }
        for attempt in 0..<6 {
            do throws(GatepassError) {
                let answer = try await attach(jws, proof: proof)
                guard answer.finish else { return .pending }
                await finish()
                return .delivered(reason: answer.reason)
            } catch {
                switch error.retry {
                case .later:
                    guard attempt < 5, await waited(after: error, attempt) else { return .pending }
                case .withProof where proof == nil:
                    proof = await device.proof()
                    if proof == nil { return .afterSignIn(error) }
                case .withProof, .afterSignIn:
                    return .afterSignIn(error)
                case .never:
                    device.notes.write(note, today)
                    return .refused(error)
                }
            }
        }
        return .pending
    }

    /// Waits as long as the answer says, else 1, 2, 4 … seconds; false where it says more than a minute.
    private func waited(after error: GatepassError, _ attempt: Int) async -> Bool {
        var seconds = 1 << attempt
        if case .wait(let told, _) = error { seconds = told }
        guard seconds <= 60 else { return false }
        return (try? await device.pause(seconds)) != nil  // nil where the app ends
    }

    // MARK: Restoring

    /// The verdicts about the texts of a device, by their places, and how far Apple's history was read.
    public struct Restored: Sendable, Equatable {
        public internal(set) var verdicts: [Int: Verdict] = [:]
        /// `complete`, `recent`, `pending`, `unavailable` or `not_configured`.
        public internal(set) var history = ""

        /// A verdict about one text.
        public struct Verdict: Sendable, Equatable, Decodable {
            let index: Int
            /// An attachment's, `duplicate_in_request` or `refused`.
            public let outcome: String
            public let finish: Bool
            /// A problem's, where it is refused.
            public let code: Problem.Code?
            public let retry: Problem.Retry?
            let retryAfter: Int?
            public let reason: String?
        }
    }

    /// Makes everything that a device has the user's; with no texts the server only reads Apple's history. Texts go in
    /// parts; those that say `later` are sent again, twice. `finish` is told the places of those that are to be
    /// finished as soon as an answer says so, so that nothing is lost where a later part throws.
    @discardableResult
    public func restore(
        _ texts: [String], proof: String? = nil, finish: @Sendable (_ place: Int) async -> Void = { _ in }
    ) async throws(GatepassError) -> Restored {
        struct Body: Encodable {
            let signedTransactions: [String]
            let signedAppTransaction: String?
        }
        struct Answer: Decodable {
            let results: [Restored.Verdict]
            let history: String
            let status: Status
        }
        var restored = Restored()
        var parts = Self.parts(of: texts.map(\.utf8.count))
        var attempt = 0
        while let part = parts.first {
            let body = Body(signedTransactions: part.map { texts[$0] }, signedAppTransaction: proof)
            let answer: Answer
            do throws(GatepassError) {
                answer = try await call(.post("/api/iap/apple/restore", body)) { keep($0.status, number: $1) }
            } catch {
                guard case .wait = error, attempt < 2, await waited(after: error, attempt) else { throw error }
                attempt += 1
                continue
            }
            restored.history = answer.history
            parts.removeFirst()
            let verdicts = answer.results.filter { part.indices.contains($0.index) }
            for verdict in verdicts {
                restored.verdicts[part[verdict.index]] = verdict
                if verdict.finish { await finish(part[verdict.index]) }
            }
            let later = verdicts.filter { $0.retry == .later }
            let told = later.compactMap(\.retryAfter).max().map { GatepassError.wait(seconds: $0, nil) }
            if !later.isEmpty, attempt < 2, await waited(after: told ?? .noAnswer, attempt) {
                attempt += 1
                parts.insert(later.map { part[$0.index] }, at: 0)
            }
        }
        return restored
    }

    /// The places of texts of these sizes, in parts of at most 500 items and 4 MiB, with room for a proof of 16 KiB.
    /// Nothing is one empty part.
    nonisolated static func parts(of sizes: [Int]) -> [[Int]] {
        var (parts, bytes): ([[Int]], Int) = ([[]], 0)
        for (place, size) in sizes.enumerated() {
            bytes += size + 3  // quotation marks and a comma
            if parts[parts.count - 1].count == 500 || bytes > 4_000_000 && parts[parts.count - 1] != [] {
                parts.append([])
                bytes = size + 3
            }
            parts[parts.count - 1].append(place)
        }
        return parts
    }
}
