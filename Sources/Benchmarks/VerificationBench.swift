import AppStore
import Crypto
import StoreSimulator

/// Measures the verification of transactions on one core, and the signature checks that it contains on their own.
struct VerificationBench {
    /// The rates of one round, per second.
    struct Round: Codable {
        /// A P-256 check of the same texts, and nothing else.
        let raw: Double
        /// The whole verification with a cached chain.
        let warm: Double
        /// Two P-384 checks and one P-256 check, and nothing else.
        let coldFloor: Double
        /// The whole verification with a new chain.
        let cold: Double
    }

    /// The reason why nothing can be measured.
    enum Failure: Error {
        case refused(EvidenceError)
    }

    private static let texts = 256
    private static let certificateBytes = 800

    private let signed: [SignedTransaction]
    private let messages: [[UInt8]]
    private let signatures: [P256.Signing.ECDSASignature]
    private let authority: DevelopmentAuthority
    private let roots: TrustRoots
    private let apps: Set<StoreApp> = [StoreApp(bundleId: Sale.bundleID)]
    private let certificate: [UInt8]
    private let certificateSignature: P384.Signing.ECDSASignature
    private let warmVerifier: EvidenceVerifier
    private let now: Int64

    /// - Throws: An error if a text cannot be signed or does not verify.
    init(_ authority: DevelopmentAuthority, at now: Int64) throws {
        self.authority = authority
        self.now = now
        roots = try authority.trustRoots
        signed = try (0..<Self.texts).map {
            try authority.sign(Sale.transaction(number: $0, place: $0, daysAgo: 1, at: now))
        }
        messages = signed.map(Self.signedPart)
        signatures = try messages.map { try authority.leafKey.signature(for: $0) }
        certificate = [UInt8](repeating: 0x30, count: Self.certificateBytes)
        certificateSignature = try authority.rootKey.signature(for: certificate)
        warmVerifier = EvidenceVerifier(apps: apps, roots: roots)
        for transaction in signed { try Self.require(warmVerifier, transaction, now) }
    }

    /// The header and payload segments, which are signed.
    private static func signedPart(_ signed: SignedTransaction) -> [UInt8] {
        let text = signed.text.utf8
        return Array(text.prefix(upTo: text.lastIndex(of: UInt8(ascii: ".")) ?? text.endIndex))
    }

    /// Measures one round. The four measurements alternate every 20 ms, so that a slow moment of the machine affects
    /// all of them.
    func round(seconds: Double) throws -> Round {
        var (raw, warm, coldFloor, cold) = (Rate(), Rate(), Rate(), Rate())
        let slice = Duration.milliseconds(20)
        for _ in 0..<max(1, Int(seconds / (4 * slice.inSeconds))) {
            raw.measure(for: slice, checkSignature)
            try warm.measure(for: slice, verifyWarm)
            coldFloor.measure(for: slice, checkThreeSignatures)
            try cold.measure(for: slice, verifyCold)
        }
        return Round(
            raw: raw.perSecond, warm: warm.perSecond, coldFloor: coldFloor.perSecond, cold: cold.perSecond)
    }

    private func checkSignature(_ turn: Int) {
        let index = turn % Self.texts
        precondition(authority.leafKey.publicKey.isValidSignature(signatures[index], for: messages[index]))
    }

    private func checkThreeSignatures(_ turn: Int) {
        for _ in 0..<2 {
            precondition(authority.rootKey.publicKey.isValidSignature(certificateSignature, for: certificate))
        }
        checkSignature(turn)
    }

    private func verifyWarm(_ turn: Int) throws {
        try Self.require(warmVerifier, signed[turn % Self.texts], now)
    }

    private func verifyCold(_ turn: Int) throws {
        let verifier = EvidenceVerifier(apps: apps, roots: roots, chains: VerifiedChainCache())
        try Self.require(verifier, signed[turn % Self.texts], now)
    }

    private static func require(_ verifier: EvidenceVerifier, _ signed: SignedTransaction, _ now: Int64) throws {
        do throws(EvidenceError) {
            // Made anew, because this splits and hashes the text.
            _ = try verifier.verify(SignedTransaction(signed.text), at: now)
        } catch {
            throw Failure.refused(error)
        }
    }
}
