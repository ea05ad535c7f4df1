extension TrustRoots {
    /// The seconds since the epoch in which the leaf certificate of a JWS is valid, given the first segment of the JWS.
    /// Nil if the certificates do not end at one of these roots.
    package func validityOfLeaf(under header: String) -> ClosedRange<Int64>? {
        var header = header
        // `try?` drops the check that the header fails: it was genuine once, so the roots are others now.
        guard let parsed = header.withUTF8({ try? JWSHeader(segment: $0) }),
            let chain = try? SigningChain(parsed, to: self)
        else { return nil }
        let period = ValidityPeriod(chain.leaf)
        return period.startsAtSecond...max(period.startsAtSecond, period.endsAtSecond)
    }
}
