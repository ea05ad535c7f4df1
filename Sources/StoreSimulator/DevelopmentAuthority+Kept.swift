import Crypto
import SwiftASN1
import X509

extension DevelopmentAuthority {
    /// The certificates and private keys of an authority as PEM texts, for a directory that only its owner may read.
    package struct Kept: Hashable, Sendable {
        package var root: String
        package var intermediate: String
        package var leaf: String
        package var rootKey: String
        package var intermediateKey: String
        package var leafKey: String

        package init(
            root: String, intermediate: String, leaf: String, rootKey: String, intermediateKey: String, leafKey: String
        ) {
            self.root = root
            self.intermediate = intermediate
            self.leaf = leaf
            self.rootKey = rootKey
            self.intermediateKey = intermediateKey
            self.leafKey = leafKey
        }
    }

    /// The certificates and keys as PEM.
    ///
    /// - Throws: Nothing in practice, because the certificates are valid.
    package var kept: Kept {
        get throws {
            Kept(
                root: try root.serializeAsPEM().pemString, intermediate: try intermediate.serializeAsPEM().pemString,
                leaf: try leaf.serializeAsPEM().pemString, rootKey: rootKey.pemRepresentation,
                intermediateKey: intermediateKey.pemRepresentation, leafKey: leafKey.pemRepresentation)
        }
    }
}
