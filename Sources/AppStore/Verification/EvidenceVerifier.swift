import Entitlements
import Crypto
import StrictJSON

/// Decides whether the App Store signed a text for one of the configured apps.
///
/// The checks and their order are those of ``EvidenceError/Reason``. Verification is synchronous, and with a cached
/// chain it costs little more than the P-256 check. It reads no clock and no network: ``AppStoreVerifier`` asks about
/// revocation.
///
/// Certificates must be valid at `signedDate`, because a genuine text stays genuine after Apple's leaf, which lives two
/// years, has expired (`apple.md` §1.4). The date is signed and must not lie after `now`, so only the holder of an old
/// leaf key could back-date a text.
///
/// No mode skips a check, not even for Xcode.
package struct EvidenceVerifier: Sendable {
    /// 2021-01-01T00:00:00Z in milliseconds since the epoch; StoreKit 2 began to sign in 2021.
    package static let earliestSignedAt: Int64 = 1_609_459_200_000
    /// The time by which Apple's clock may be ahead of this server's, in milliseconds.
    package static let clockLeeway: Int64 = 5 * 60 * 1000

    package let apps: Set<StoreApp>
    package let roots: TrustRoots
    let chains: VerifiedChainCache

    /// - Parameters:
    ///   - apps: The apps whose evidence is accepted. Evidence of another app is `wrong_app`.
    ///   - roots: The roots at which chains may end.
    ///   - chains: The cache, shared by all verifiers with these roots and by no others.
    package init(apps: Set<StoreApp>, roots: TrustRoots, chains: VerifiedChainCache = VerifiedChainCache()) {
        self.apps = apps
        self.roots = roots
        self.chains = chains
    }

    /// Checks the three segments, the chain and the signature, and reads the payload as JSON.
    ///
    /// - Throws: The first reason up to `payload_malformed`.
    func open(
        _ text: String, maximumBytes: Int, boundsNames: Bool = true
    ) throws(EvidenceError) -> AuthenticPayload {
        try open(CompactJWS(text, maximumBytes: maximumBytes), boundsNames: boundsNames)
    }

    /// Checks the chain and the signature, and reads the payload as JSON.
    ///
    /// - Throws: The first reason up to `payload_malformed`; the three segments are checked already.
    func open(
        _ jws: CompactJWS, knowing texts: KnownTexts = .none, boundsNames: Bool = true
    ) throws(EvidenceError) -> AuthenticPayload {
        guard let known = chains[jws.headerDigest] else {
            return try open(jws, under: chain(of: jws.readHeader()), knowing: texts, boundsNames: boundsNames)
        }
        return try open(jws, under: known, knowing: texts, boundsNames: boundsNames)
    }

    /// Builds the certificate chain of a header.
    ///
    /// - Throws: `certificate_malformed` or `chain_untrusted`.
    func chain(of header: JWSHeader) throws(EvidenceError) -> SigningChain {
        try SigningChain(header, to: roots, knowing: chains)
    }

    /// Checks the signature with the header's chain and reads the payload. A text that was verified before (`texts`) is
    /// not checked again. The chain of a valid signature enters the cache.
    ///
    /// - Parameter boundsNames: True to refuse a payload with too many or too long member names, false to read it all
    ///   the same. An unsigned payload is never read without these bounds.
    /// - Throws: The first reason from `chain_expired` up to `payload_malformed`.
    func open(
        _ jws: CompactJWS, under chain: SigningChain, knowing texts: KnownTexts = .none, boundsNames: Bool = true
    ) throws(EvidenceError) -> AuthenticPayload {
        var payload = Result { () throws(JSONDefect) in try StrictJSON(jws.payload) }
        try Self.requireValidity(of: chain, when: payload)
        guard chain.carriesAppleMarkers else {
            throw EvidenceError(.missingAppleMarker, "The certificates are not for signing App Store data.")
        }
        guard texts.contains(jws) || Self.isSigned(jws, by: chain) else {
            throw EvidenceError(.signatureMismatch, "The signature does not match the text.")
        }
        var isBounded = true
        if !boundsNames, case .failure(let defect) = payload, defect.isOfNames {
            isBounded = false
            payload = Result { () throws(JSONDefect) in try StrictJSON(jws.payload, boundsNames: false) }
            try Self.requireValidity(of: chain, when: payload)
        }
        chains.insert(chain, for: jws.headerDigest)
        return AuthenticPayload(reader: try Self.object(in: payload), isBounded: isBounded, chain: chain, jws)
    }

    /// Refuses a chain that was not valid when the text was signed.
    ///
    /// - Throws: `chain_expired`. If the date cannot be read, the text is refused later: see ``EvidenceError``.
    private static func requireValidity(
        of chain: SigningChain, when payload: Result<StrictJSON, JSONDefect>
    ) throws(EvidenceError) {
        guard case .success(let json) = payload, let reader = PayloadReader(json), let signedAt = signedAt(reader),
            !chain.period.contains(signedAt)
        else { return }
        throw EvidenceError(.chainExpired, "A certificate was not valid when the text was signed.")
    }

    private static func isSigned(_ jws: CompactJWS, by chain: SigningChain) -> Bool {
        // `try?` drops the error: it can only be that the signature is not 64 bytes long.
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature) else { return false }
        return chain.key.isValidSignature(signature, for: jws.signingDigest)
    }

    private static func object(in payload: Result<StrictJSON, JSONDefect>) throws(EvidenceError) -> PayloadReader {
        guard case .success(let json) = payload else {
            throw EvidenceError(.payloadMalformed, "The payload is not strict JSON.")
        }
        guard let reader = PayloadReader(json) else {
            throw EvidenceError(.payloadMalformed, "The payload is not a JSON object.")
        }
        return reader
    }

    /// The instant at which Apple signed: `signedDate`, or in an app transaction `receiptCreationDate` (`apple.md`
    /// §2.3).
    ///
    /// - Returns: `nil` if it cannot be read.
    fileprivate static func signedAt(_ payload: PayloadReader) -> Int64? {
        let name: StaticString = payload.has("signedDate") ? "signedDate" : "receiptCreationDate"
        return try? payload.instant(name)  // Lost: why it cannot be read; decoding finds that again.
    }

    // MARK: What the payload says of its app

    /// Looks for the app that the payload names.
    ///
    /// - Throws: `wrong_app` if it is not one of the configured apps.
    func requireApp(_ bundleId: String?) throws(EvidenceError) -> StoreApp {
        guard let bundleId else { throw EvidenceError(.wrongApp, "The payload names no app.") }
        guard let app = apps.first(where: { $0.isNamed(bundleId) }) else {
            throw EvidenceError(.wrongApp, "The payload's bundleId is not one of the configured apps.")
        }
        return app
    }

    /// Checks the app, and in Production its App Store number, if that is configured.
    ///
    /// - Throws: `wrong_app`.
    func requireApp(
        _ bundleId: String?, appAppleId: Int64?, in environment: StoreEnvironment?
    ) throws(EvidenceError) {
        let app = try requireApp(bundleId)
        guard environment == .production, let expected = app.appAppleId else { return }
        guard appAppleId == expected else {
            throw EvidenceError(.wrongApp, "The payload's appAppleId is not that of the configured app.")
        }
    }

    /// Checks that the environment is Sandbox or Production.
    ///
    /// - Throws: `wrong_environment`.
    func requireEnvironment(_ environment: StoreEnvironment?) throws(EvidenceError) -> StoreEnvironment {
        guard let environment else {
            throw EvidenceError(.wrongEnvironment, "The payload's environment is neither Sandbox nor Production.")
        }
        return environment
    }
}

/// A JSON object that the App Store signed; its kind is not known yet. Only ``EvidenceVerifier`` makes one.
struct AuthenticPayload {
    private let reader: PayloadReader
    /// True if the member names keep to the limits ``StrictJSON/maximumNames`` and ``StrictJSON/maximumNameBytes``.
    let isBounded: Bool
    let chain: SigningChain
    /// The compact text and its digests.
    let proof: SignedText
    /// The decoded payload segment.
    let json: [UInt8]

    fileprivate init(reader: PayloadReader, isBounded: Bool, chain: SigningChain, _ jws: CompactJWS) {
        self.reader = reader
        self.isBounded = isBounded
        self.chain = chain
        proof = SignedText(
            text: jws.text, digest: Array(jws.textDigest),
            header: SignedText.Header(length: jws.headerLength, digest: Array(jws.headerDigest)))
        json = jws.payload
    }

    /// Reads the payload as a certain kind.
    ///
    /// - Parameter mayBeUndated: True if the payload may lack `signedDate`; the caller then checks another date.
    /// - Throws: `payload_malformed`, `signed_date_out_of_range` or `wrong_payload_kind`, in this order. A payload is
    ///   of the wrong kind if it has members of another kind and none of this one. A payload with members of no kind is
    ///   `payload_malformed`, because it lacks required members.
    func decode<Payload>(
        as kind: PayloadKind, at now: Int64, mayBeUndated: Bool = false,
        _ body: (PayloadReader) throws(EvidenceError) -> Payload
    ) throws(EvidenceError) -> Payload {
        if !kind.matches(reader), let other = PayloadKind.allCases.first(where: { $0.matches(reader) }) {
            try requireSaneDate(at: now)
            throw EvidenceError(
                .wrongPayloadKind, "The text is authentic, but \(other.nameWithArticle) and no \(kind.name).")
        }
        let payload = try body(reader)
        if !mayBeUndated || reader.has("signedDate") { try requireSaneDate(at: now) }
        return payload
    }

    private func requireSaneDate(at now: Int64) throws(EvidenceError) {
        let signedAt = try reader.required("signedDate", EvidenceVerifier.signedAt(reader))
        guard signedAt >= EvidenceVerifier.earliestSignedAt else {
            throw EvidenceError(.signedDateOutOfRange, "The text was signed before 2021.")
        }
        let ahead = signedAt - (now + EvidenceVerifier.clockLeeway)
        guard ahead <= 0 else {
            throw EvidenceError(
                .signedDateOutOfRange, "The text was signed in the future.", millisecondsAhead: ahead)
        }
    }
}
