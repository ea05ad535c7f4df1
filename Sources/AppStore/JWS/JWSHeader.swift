import StrictJSON

/// The protected header of a JWS of the App Store. Its members `alg` and `x5c` are read; some others are refused.
///
/// A key is taken from the header only through a certificate chain that ends at a configured root.
struct JWSHeader {
    /// The leaf certificate in DER.
    ///
    /// Only leaf and intermediate are read. The third entry of `x5c`, the root, is counted and ignored, because the
    /// path must end at a configured root. In Apple's own samples it is even encoded differently (`apple.md` §1.5).
    let leaf: [UInt8]
    let intermediate: [UInt8]

    /// The largest certificate that is parsed. Apple's largest has 1.1 KB.
    static let maximumCertificateBytes = 4 * 1024
    /// A header has three certificates: leaf, intermediate and root (`apple.md` §1.1).
    static let certificateCount = 3

    /// The key id in the texts of Xcode's StoreKit testing, which bring one certificate that anybody can make
    /// (`apple.md` §1.7).
    private static let xcodeKey = "Apple_Xcode_Key"

    /// Members that change how the text must be read, or that offer another key (RFC 7515 §4.1, RFC 7797, RFC 7516).
    /// `kid` and `typ` change nothing of a text that may be accepted.
    private static let forbidden: [StaticString] = ["crit", "b64", "zip", "jwk", "jku", "x5u"]

    /// Reads the header segment.
    ///
    /// - Throws: `malformed`, `unsupported_algorithm`, `wrong_environment` for what Xcode made, `certificate_count` or
    ///   `certificate_malformed`, in this order.
    init(segment: UnsafeBufferPointer<UInt8>) throws(EvidenceError) {
        let json = try Self.object(in: segment)
        guard json.member("alg", of: StrictJSON.root).flatMap(json.string)?.utf8.elementsEqual("ES256".utf8) == true
        else {
            throw EvidenceError(.unsupportedAlgorithm, "The header's alg must be ES256.")
        }
        let entries = json.member("x5c", of: StrictJSON.root).map(json.elements) ?? []
        guard entries.count == Self.certificateCount else {
            if entries.count == 1, json.member("kid", of: StrictJSON.root).flatMap(json.string) == Self.xcodeKey {
                throw EvidenceError(
                    .wrongEnvironment,
                    "Xcode's StoreKit testing signed the text, and no server takes that: buy in the Sandbox.")
            }
            throw EvidenceError(
                .certificateCount, "The header's x5c must be an array of \(Self.certificateCount) certificates.")
        }
        guard entries.allSatisfy({ json.kind($0) == .string }) else {
            throw EvidenceError(.certificateMalformed, "Every entry of x5c must be a string.")
        }
        self.leaf = try Self.certificate(json.string(entries[0]), "first")
        self.intermediate = try Self.certificate(json.string(entries[1]), "second")
    }

    private static func object(in segment: UnsafeBufferPointer<UInt8>) throws(EvidenceError) -> StrictJSON {
        guard let bytes = Base64.decodeURL(segment) else {
            throw EvidenceError(.malformed, "The header segment is not canonical base64url.")
        }
        let json: StrictJSON
        do throws(JSONDefect) {
            json = try StrictJSON(bytes)
        } catch {
            throw EvidenceError(.malformed, "The header is not strict JSON.")
        }
        guard json.kind(StrictJSON.root) == .object else {
            throw EvidenceError(.malformed, "The header is not a JSON object.")
        }
        for name in forbidden where json.member(name, of: StrictJSON.root) != nil {
            throw EvidenceError(.malformed, "The header must not have the member \(name).")
        }
        return json
    }

    private static func certificate(_ entry: String?, _ ordinal: String) throws(EvidenceError) -> [UInt8] {
        var text = entry ?? ""
        guard text.utf8.count <= (maximumCertificateBytes + 2) / 3 * 4 else {
            throw EvidenceError(
                .certificateMalformed, "The \(ordinal) certificate is longer than \(maximumCertificateBytes) bytes.")
        }
        guard let der = text.withUTF8({ Base64.decodePadded($0) }), !der.isEmpty else {
            throw EvidenceError(.certificateMalformed, "The \(ordinal) certificate is not standard base64.")
        }
        return der
    }
}
