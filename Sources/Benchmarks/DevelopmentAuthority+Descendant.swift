import Crypto
import StoreSimulator
import SwiftASN1
import X509

extension DevelopmentAuthority {
    /// A new authority below the same root certificate. No server has seen its intermediate and leaf certificates.
    ///
    /// - Throws: Nothing, for certificates that an authority makes.
    func descendant(validFor period: ClosedRange<Int64>) throws -> DevelopmentAuthority {
        let intermediateKey = P384.Signing.PrivateKey()
        let leafKey = P256.Signing.PrivateKey()
        let intermediate = try Self.intermediateRecipe(intermediateKey.publicKey, below: rootKey.publicKey, period)
            .mint(signedBy: .init(rootKey))
        let leaf = try Self.leafRecipe(leafKey.publicKey, below: intermediateKey.publicKey, period)
            .mint(signedBy: .init(intermediateKey))
        var kept = try kept
        kept.intermediate = try intermediate.serializeAsPEM().pemString
        kept.leaf = try leaf.serializeAsPEM().pemString
        kept.intermediateKey = intermediateKey.pemRepresentation
        kept.leafKey = leafKey.pemRepresentation
        return try DevelopmentAuthority(kept)
    }
}
