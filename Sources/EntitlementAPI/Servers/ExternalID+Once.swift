import Crypto
import Entitlements

extension ExternalID {
    /// The name of what is given once for `parts`: the same each time, and telling nothing of them.
    static func once(_ act: String, for parts: String...) -> ExternalID {
        var hash = SHA256()
        for part in [act] + parts {
            withUnsafeBytes(of: UInt64(part.utf8.count).bigEndian) { hash.update(bufferPointer: $0) }
            hash.update(data: Array(part.utf8))
        }
        return ExternalID(Base64URL.encode(hash.finalize().prefix(nameBytes)))
    }

    /// As many bytes as no two acts share by chance.
    private static let nameBytes = 15
}
