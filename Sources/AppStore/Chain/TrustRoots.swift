import FoundationEssentials
import SwiftASN1
import X509

/// The root certificates at which a chain may end: Apple Root CA – G3 in production, a development authority elsewhere.
///
/// Only these roots are trusted; a root that a text brings along is ignored. The list is never empty.
package struct TrustRoots: Sendable {
    /// A root certificate and its period of validity.
    package struct Root: Sendable {
        let certificate: Certificate
        let period: ValidityPeriod

        /// The subject, as operators read it.
        package var subject: String { certificate.subject.description }

        /// True if the root is valid at an instant, in milliseconds since the epoch.
        package func isValid(at instant: Int64) -> Bool {
            period.contains(instant)
        }

        /// True if the root's subject names a development authority. The server refuses to start in production with
        /// this root.
        package var isDevelopment: Bool {
            certificate.subject.contains { relativeName in
                relativeName.contains { attribute in
                    attribute.type == .RDNAttributeType.organizationalUnitName
                        && attribute.value.description == TrustRoots.developmentUnit
                }
            }
        }
    }

    /// The reason for which a file is not a usable root.
    package enum Defect: Error, Hashable, Sendable {
        /// No root was given.
        case none
        /// The file is neither DER nor PEM of an X.509 certificate.
        case unreadable
        /// The certificate may not issue others, or was issued by another certificate.
        case notARoot(subject: String)
    }

    /// The organizational unit in the subject of every development root.
    package static let developmentUnit = "Gatepass Development"

    /// The roots, the one that ends last first. So of two roots with the same name and key the longer one is tried
    /// first.
    package let roots: [Root]

    /// Reads roots from the contents of files. Each file is DER or PEM; a PEM file may hold several roots.
    ///
    /// - Throws: ``Defect`` for the first file that cannot be used, or if there is no root.
    package init(files: [[UInt8]]) throws(Defect) {
        var roots: [Root] = []
        for file in files {
            for certificate in try Self.certificates(in: file) {
                guard Self.isRoot(certificate) else { throw .notARoot(subject: certificate.subject.description) }
                roots.append(Root(certificate: certificate, period: ValidityPeriod(certificate)))
            }
        }
        guard !roots.isEmpty else { throw .none }
        self.roots = roots.sorted { $0.period.endsAtSecond > $1.period.endsAtSecond }
    }

    /// The roots whose subject names a development authority.
    package var developmentRoots: [Root] {
        roots.filter(\.isDevelopment)
    }

    private static func certificates(in file: [UInt8]) throws(Defect) -> [Certificate] {
        do {
            guard file.starts(with: "-----BEGIN".utf8) else { return [try Certificate(derEncoded: file)] }
            let documents = try PEMDocument.parseMultiple(pemString: String(decoding: file, as: UTF8.self))
            return try documents.map { try Certificate(pemDocument: $0) }
        } catch {
            throw .unreadable
        }
    }

    private static func isRoot(_ certificate: Certificate) -> Bool {
        guard certificate.subject == certificate.issuer else { return false }
        return SigningChain.mayIssue(certificate)
    }
}
