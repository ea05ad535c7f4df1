import Foundation

/// What became of a transaction.
public enum Delivery: Sendable, Equatable {
    /// It is the user's, and finished. With a reason it gives nothing now, as with `unknown_product`.
    case delivered(reason: String?)
    /// No answer yet, or a parent is asked: it comes again by itself.
    case pending
    /// The person has to sign in, or by another login: `deliverUnfinished()` after it.
    case afterSignIn(GatepassError)
    /// Paid and not taken: tell the person once. It is tried again once a day; nil where that is not due yet.
    case refused(GatepassError?)
}

extension Gatepass {
    /// Sends a transaction until there is an answer, and finishes it exactly where the answer says so. StoreKit brings
    /// what is not finished again at each start, so that a purchase survives whatever ends the app. `name` tells
    /// transactions apart: one that is under way is not sent beside itself.
    func deliver(
        _ jws: String, name: String, finish: @escaping @Sendable () async -> Void
    ) async -> Delivery {
        if let underWay = deliveries[name] { return await underWay.value }
        let delivery = Task { await sent(jws, name, finish) }
        deliveries[name] = delivery
        defer { deliveries[name] = nil }
        return await delivery.value
    }

    private func sent(_ jws: String, _ name: String, _ finish: @Sendable () async -> Void) async -> Delivery {
        if refusedToday(name) { return .refused(nil) }
        var proof: String?
        if case .appTransaction = signIn { proof = await self.proof() }
        for attempt in 0..<6 {
            let failure: GatepassError
            do throws(GatepassError) {
                let attachment = try await attach(jws, proof: proof)
                guard attachment.finish else { return .pending }
                await finish()
                return .delivered(reason: attachment.reason)
            } catch {
                failure = error
            }
            switch failure.retry {
            case .later:
                var seconds = 1 << attempt
                if case .wait(let told, _) = failure { seconds = told }
                guard seconds <= 60, (try? await pause(seconds)) != nil else { return .pending }
            case .withProof where proof == nil:
                proof = await self.proof()
                if proof == nil { return .afterSignIn(failure) }
            case .afterSignIn, .withProof:
                return .afterSignIn(failure)
            case .never:
                notes.write(name, Data("\(date().timeIntervalSince1970)".utf8))
                return .refused(failure)
            }
        }
        return .pending
    }

    /// Whether `never` was the answer less than a day ago. A debug build tries at each start.
    private func refusedToday(_ name: String) -> Bool {
        guard patient, let note = notes.read(name), let then = Double(String(decoding: note, as: UTF8.self))
        else { return false }
        return abs(date().timeIntervalSince1970 - then) < 86_400
    }
}

#if DEBUG
    let isDebugBuild = true
#else
    let isDebugBuild = false
#endif
