import Crypto

extension AppStoreVerifier {
    /// The result for a transaction of a batch.
    package enum Verdict: Sendable {
        case genuine(VerifiedTransaction)
        case refused(EvidenceError)
        /// The transaction was not verified, because too many texts under other unknown headers had failed. It may be
        /// sent again.
        case notJudged

        fileprivate init(_ result: Result<VerifiedTransaction, EvidenceError>) {
            switch result {
            case .success(let transaction): self = .genuine(transaction)
            case .failure(let refusal): self = .refused(refusal)
            }
        }
    }

    /// The number of unknown headers that may fail in a batch before the rest is not judged. Foreign certificates are
    /// the most expensive input to check, and Apple uses one header at a time.
    package static let maximumFailures = 4

    /// The smallest batch that is split into tasks. For fewer texts, starting tasks would cost more than it saves.
    private static let smallestSplit = 4

    /// Verifies the transactions of a restore.
    ///
    /// A text that occurs several times is verified once. A bad text does not affect the others, and the order of the
    /// texts does not matter. Texts under known headers are verified first, in up to `cores` tasks. Then the unknown
    /// headers are tried one by one, those with the most texts first, until ``maximumFailures`` of them have failed.
    /// Other tasks can run between any two texts.
    ///
    /// - Parameters:
    ///   - cores: The largest number of tasks at a time.
    ///   - texts: The texts whose signatures were verified before.
    /// - Returns: A verdict for each transaction, in the order of `signed`.
    /// - Throws: ``CertificateStatusUnavailable`` for the whole batch.
    package func verify(
        all signed: [SignedTransaction], at now: Int64, cores: Int, knowing texts: KnownTexts = .none
    ) async throws(CertificateStatusUnavailable) -> [Verdict] {
        var places: [SignedTransaction: Int] = [:]
        var distinct: [SignedTransaction] = []
        let order = signed.map { transaction in
            if let place = places[transaction] { return place }
            places[transaction] = distinct.count
            distinct.append(transaction)
            return distinct.count - 1
        }
        let findings = try await findings(
            on: distinct, at: now, tasks: distinct.count < Self.smallestSplit ? 1 : cores, knowing: texts)
        let items = order.reduce(into: Array(repeating: 0, count: distinct.count)) { $0[$1] += 1 }
        let verdicts = try await verdicts(on: findings, items: items, at: now, knowing: texts)
        return order.map { verdicts[$0] }
    }

    // MARK: Known headers

    /// The result for a text before any unknown header is tried.
    private enum Finding {
        case verdict(Verdict)
        case unknownHeader(JWSHeader, CompactJWS)
    }

    private func findings(
        on signed: [SignedTransaction], at now: Int64, tasks: Int, knowing texts: KnownTexts
    ) async throws(CertificateStatusUnavailable) -> [Finding] {
        guard tasks > 1 else { return try await findings(on: signed[...], at: now, knowing: texts) }
        let size = (signed.count + tasks - 1) / tasks
        let runs = await withTaskGroup(of: Run.self) { group in
            for start in stride(from: 0, to: signed.count, by: size) {
                group.addTask {
                    await run(of: signed[start..<min(start + size, signed.count)], at: now, knowing: texts)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var findings: [Finding] = []
        findings.reserveCapacity(signed.count)
        for run in runs.sorted(by: { $0.start < $1.start }) { findings += try run.findings.get() }
        return findings
    }

    /// The findings of one task, and the index of its first text.
    private struct Run: Sendable {
        let start: Int
        let findings: Result<[Finding], CertificateStatusUnavailable>
    }

    private func run(
        of signed: ArraySlice<SignedTransaction>, at now: Int64, knowing texts: KnownTexts
    ) async -> Run {
        do throws(CertificateStatusUnavailable) {
            let findings = try await findings(on: signed, at: now, knowing: texts)
            return Run(start: signed.startIndex, findings: .success(findings))
        } catch {
            return Run(start: signed.startIndex, findings: .failure(error))
        }
    }

    private func findings(
        on signed: ArraySlice<SignedTransaction>, at now: Int64, knowing texts: KnownTexts
    ) async throws(CertificateStatusUnavailable) -> [Finding] {
        var findings: [Finding] = []
        findings.reserveCapacity(signed.count)
        for transaction in signed {
            findings.append(try await finding(on: transaction, at: now, knowing: texts))
            await Task.yield()
        }
        return findings
    }

    private func finding(
        on signed: SignedTransaction, at now: Int64, knowing texts: KnownTexts
    ) async throws(CertificateStatusUnavailable) -> Finding {
        let jws: CompactJWS
        let known: SigningChain
        do throws(EvidenceError) {
            jws = try signed.segments.get()
            guard let chain = evidence.chains[jws.headerDigest] else {
                let header = try jws.readHeader()
                return .unknownHeader(header, jws)
            }
            known = chain
        } catch {
            return .verdict(.refused(error))
        }
        let verdict = try await verdict(on: jws, under: .success(known), at: now, knowing: texts)
        return .verdict(verdict)
    }

    // MARK: Unknown headers

    private func verdicts(
        on findings: [Finding], items: [Int], at now: Int64, knowing texts: KnownTexts
    ) async throws(CertificateStatusUnavailable) -> [Verdict] {
        var headers: [SHA256Digest: UntriedHeader] = [:]
        var verdicts: [Verdict] = []
        verdicts.reserveCapacity(findings.count)
        for (place, finding) in findings.enumerated() {
            switch finding {
            case .verdict(let verdict): verdicts.append(verdict)
            case .unknownHeader(let header, let jws):
                let untried = UntriedHeader(header, digest: jws.headerDigest)
                headers[jws.headerDigest, default: untried].add(jws, at: place, items: items[place])
                verdicts.append(.notJudged)
            }
        }
        var failures = 0
        for untried in headers.values.sorted(by: { $0.precedes($1) }) where failures < Self.maximumFailures {
            let chain = Result { () throws(EvidenceError) in try evidence.chain(of: untried.header) }
            for (place, jws) in untried.texts {
                let verdict = try await verdict(on: jws, under: chain, at: now, knowing: texts)
                verdicts[place] = verdict
                await Task.yield()
            }
            if !isMalformed(chain), evidence.chains[untried.digest] == nil { failures += 1 }
        }
        return verdicts
    }

    /// True if a certificate cannot be parsed. Such a failure is not counted, because it is cheap.
    private func isMalformed(_ chain: Result<SigningChain, EvidenceError>) -> Bool {
        guard case .failure(let refusal) = chain else { return false }
        return refusal.reason == .certificateMalformed
    }

    private func verdict(
        on jws: CompactJWS, under chain: Result<SigningChain, EvidenceError>, at now: Int64, knowing texts: KnownTexts
    ) async throws(CertificateStatusUnavailable) -> Verdict {
        let result = Result { () throws(EvidenceError) in
            try evidence.verify(jws, under: chain.get(), at: now, knowing: texts)
        }
        let judged = try await unlessRevoked(result, at: now) { ($0.chain, $0.payload.signedDate) }
        return Verdict(judged)
    }
}
