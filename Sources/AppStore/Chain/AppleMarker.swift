package import SwiftASN1

extension ASN1ObjectIdentifier {
    /// The certificate extensions that mark the signers of App Store data among all certificates of Apple's (`apple.md`
    /// §1.3).
    package enum AppleMarker {
        /// The leaf's marker: Mac App Store receipt signing.
        package static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
        /// The intermediate's marker: Apple Worldwide Developer Relations.
        package static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    }
}
