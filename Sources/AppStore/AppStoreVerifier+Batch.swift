extension AppStoreVerifier {
    /// One transaction's verdict in a batch.
    package typealias Verdict = Result<VerifiedTransaction, EvidenceError>

    /// A batch smaller than this is verified where it stands: starting tasks would cost more than they save.
    private static let smallestSplit = 4

    /// Verifies the transactions of a restore, on as many tasks as there are cores.
    ///
    /// A text that stands in the list several times is verified once. One bad item never spoils the rest.
    ///
    /// - Parameter cores: How many tasks may run at a time.
    /// - Returns: A verdict per item, in the items' order.
    /// - Throws: ``RevocationUnavailable`` for the whole batch.
    package func verify(
        all signed: [SignedTransaction], at now: Int64, cores: Int
    ) async throws(RevocationUnavailable) -> [Verdict] {
        var places: [SignedTransaction: Int] = [:]
        var distinct: [SignedTransaction] = []
        let order = signed.map { transaction in
            if let place = places[transaction] { return place }
            places[transaction] = distinct.count
            distinct.append(transaction)
            return distinct.count - 1
        }
        let verdicts = try await verify(
            distinct: distinct, at: now, tasks: distinct.count < Self.smallestSplit ? 1 : cores)
        return order.map { verdicts[$0] }
    }

    private func verify(
        distinct signed: [SignedTransaction], at now: Int64, tasks: Int
    ) async throws(RevocationUnavailable) -> [Verdict] {
        guard tasks > 1 else { return try await verify(run: signed[...], at: now) }
        let size = (signed.count + tasks - 1) / tasks
        let runs = await withTaskGroup(of: (Int, Result<[Verdict], RevocationUnavailable>).self) { group in
            for start in stride(from: 0, to: signed.count, by: size) {
                group.addTask {
                    (start, await outcome(of: signed[start..<min(start + size, signed.count)], at: now))
                }
            }
            var runs: [Int: Result<[Verdict], RevocationUnavailable>] = [:]
            for await (start, run) in group {
                runs[start] = run
            }
            return runs
        }
        var verdicts: [Verdict] = []
        verdicts.reserveCapacity(signed.count)
        for (_, run) in runs.sorted(by: { $0.key < $1.key }) {
            verdicts += try run.get()
        }
        return verdicts
    }

    private func outcome(of run: ArraySlice<SignedTransaction>, at now: Int64) async -> Result<
        [Verdict], RevocationUnavailable
    > {
        do throws(RevocationUnavailable) {
            return .success(try await verify(run: run, at: now))
        } catch {
            return .failure(error)
        }
    }

    private func verify(run: ArraySlice<SignedTransaction>, at now: Int64) async throws(RevocationUnavailable)
        -> [Verdict]
    {
        var verdicts: [Verdict] = []
        verdicts.reserveCapacity(run.count)
        for transaction in run {
            verdicts.append(try await verify(transaction, at: now))
        }
        return verdicts
    }
}
