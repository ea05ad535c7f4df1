/// Apple could not be asked whether a certificate is revoked: a fault of the world, never a verdict on the evidence.
///
/// The same evidence may be sent again; HTTP answers 503.
package struct RevocationUnavailable: Error, Hashable, Sendable {
    package init() {}
}
