import AppStore
import FoundationEssentials
import StoreSimulator
import X509

extension HostileMint {
    /// Dates of certificates and of the text against one another (`threats.md` T8).
    func periods() throws -> [HostileVector] {
        let signedAt = Date(timeIntervalSince1970: Double(transaction.signedDate) / 1000)
        let distances: [(String, Double)] = [
            ("a second", 1), ("a minute", 60), ("a day", 86_400), ("a year", 31_536_000),
        ]
        var certificatePeriods: [(String, String)] = []
        for (name, distance) in distances {
            certificatePeriods += [
                ("leaf expired \(name) before", try chain(leaf: { $0.notAfter = signedAt - distance })),
                ("leaf valid \(name) later", try chain(leaf: { $0.notBefore = signedAt + distance })),
                ("intermediate expired \(name) before", try chain(intermediate: { $0.notAfter = signedAt - distance })),
                ("intermediate valid \(name) later", try chain(intermediate: { $0.notBefore = signedAt + distance })),
                (
                    "leaf's period inverted by \(name)",
                    try chain(leaf: {
                        $0.notBefore = signedAt + distance; $0.notAfter = signedAt - distance
                    })
                ),
            ]
        }
        let dates: [(String, Int64)] = [
            ("the year 1", -62_135_769_600_000), ("1969", -1), ("the epoch", 0),
            ("seconds instead of milliseconds", transaction.signedDate / 1000),
            ("a millisecond before the certificates", period.lowerBound - 1),
            ("a second after them", period.upperBound + 1000),
            ("2262", 9_223_372_036_854), ("the year 9999", 253_402_300_799_999),
        ]
        return family("period of a certificate", .chainExpired, certificatePeriods)
            + family(
                "signed outside the certificates' period", .chainExpired,
                try dates.map { ($0.0, try sign(changed("signedDate", .integer($0.1)))) })
    }
}
