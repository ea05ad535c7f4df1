package import SwiftASN1

extension ASN1ObjectIdentifier {
    /// The extensions by which Apple tells the signers of App Store data from all others it certifies (`apple.md`
    /// §1.3).
    package enum AppleMarker {
        /// On the leaf: Mac App Store receipt signing.
        package static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
        /// On the intermediate: Worldwide Developer Relations.
        package static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    }
}
