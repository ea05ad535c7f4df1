import AppStore
import Entitlements
import LedgerStore
import Logging

extension StoreHistory {
    /// Asks Apple what became of a chain whose period ended without a word (`semantics.md` §7), and records what Apple
    /// shows as if a notification had brought it. Nobody gets a purchase by it.
    ///
    /// - Parameter purchase: The id of the purchase's row.
    /// - Throws: ``Failure``.
    package func ask(aboutChain purchase: UInt64) async throws(Failure) {
        let store: Store
        let key: PurchaseKey?
        do throws(ServiceFailure) {
            store = try self.store()
            key = try await store.chains.ended(purchase)
        } catch {
            throw .service(error)
        }
        guard let key else { return }
        let statuses: SubscriptionStatuses
        do throws(AppStoreServerFailure) {
            statuses = try await server.statuses(of: key.externalID.text, about: key.app, in: key.environment)
        } catch {
            guard error.isFinal else { throw .apple(error) }
            return tell(.apple(error))
        }
        var evidence: [Evidence] = []
        for chain in statuses.chains where chain.originalTransactionId == key.externalID.text {
            evidence += try await genuine(chain, of: key, under: store.labels)
        }
        guard !evidence.isEmpty else { return }
        do throws(ServiceFailure) {
            _ = try await store.ledger.record(evidence, for: []) { _ -> Decision<Void, Never> in
                Decision(answer: .success(()))
            }
        } catch {
            throw .service(error)
        }
    }

    /// The genuine texts of a chain; texts about anything else are left out.
    private func genuine(
        _ chain: SubscriptionStatuses.Chain, of key: PurchaseKey, under labels: Labels
    ) async throws(Failure) -> [Evidence] {
        let (transaction, renewalInfo): (VerifiedTransaction?, VerifiedRenewalInfo?)
        do throws(CertificateStatusUnavailable) {
            transaction = genuine(try await verifier().verify(chain.transaction, at: now().milliseconds))
            if let signed = chain.renewalInfo {
                renewalInfo = genuine(try await verifier().verify(signed, at: now().milliseconds))
            } else {
                renewalInfo = nil
            }
        } catch {
            throw .certificateStatus(error)
        }
        guard let transaction else { return [] }
        let shown = ShownPurchase(transaction, labels: labels)
        guard shown.state.key == key else { return [] }
        guard let renewalInfo, renewalInfo.agrees(with: transaction) else { return [shown.evidence] }
        let renewal = VerifiedRenewal(renewalInfo, beside: transaction, telling: chain.isInGrace ? .grace : nil)
        return [shown.evidence, Evidence(.renewal(renewal))]
    }

    private func genuine<Verified>(_ verdict: Result<Verified, EvidenceError>) -> Verified? {
        switch verdict {
        case .success(let verified): return verified
        case .failure(let refusal):
            logger.error("Apple's answer has a text that is not genuine", metadata: ["reason": "\(refusal.reason)"])
            return nil
        }
    }
}
