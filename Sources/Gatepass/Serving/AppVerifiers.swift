import AppStore
import Entitlements
import Synchronization

/// The verifier for the apps of the catalogue in force. A new version of the catalogue makes a new verifier.
///
/// All verifiers share one cache of certificate chains, because a chain does not depend on the app.
final class AppVerifiers: Sendable {

    private let roots: TrustRoots
    private let statusCheck: CertificateStatusCheck?
    private let chains = VerifiedChainCache()
    private let made = Mutex<(version: Int, verifier: AppStoreVerifier)?>(nil)

    init(roots: TrustRoots, statusCheck: CertificateStatusCheck?) {
        self.roots = roots
        self.statusCheck = statusCheck
    }

    /// The verifier for the newest version of `catalogue`.
    func verifier(for catalogue: CatalogueVersions) -> AppStoreVerifier {
        made.withLock { made in
            let latest = catalogue.latest
            if let made, made.version == latest.number { return made.verifier }
            let apps = latest.catalogue.apps.map { StoreApp(bundleId: $0.id.text, appAppleId: $0.appleID) }
            let verifier = AppStoreVerifier(
                evidence: EvidenceVerifier(apps: Set(apps), roots: roots, chains: chains), statusCheck: statusCheck)
            made = (latest.number, verifier)
            return verifier
        }
    }
}
