import AppStore
import Foundation
import StoreSimulator
import Support
import SwiftASN1
import Testing
import X509

/// Where chains may end.
@Suite struct TrustRootsTests {
    @Test func `Apple's root is read from the file in config, and is no development root`() throws {
        let file = URL(filePath: TestRun.repository).appending(path: "config/certificates/AppleRootCA-G3.cer")
        let roots = try TrustRoots(files: [Array(try Data(contentsOf: file))])
        #expect(roots.roots.count == 1)
        #expect(roots.developmentRoots.isEmpty)
        #expect(roots.roots.first?.subject.contains("Apple Root CA - G3") == true)
    }

    @Test func `a development root says so`() throws {
        let authority = try HostileVectors.authority()
        #expect(try authority.trustRoots.developmentRoots.count == 1)
    }

    @Test func `the validity of a leaf is told where the chain ends at a root, and only there`() throws {
        let (authority, other) = (try HostileVectors.authority(), try HostileVectors.authority())
        let sale = SimulatedTransaction(
            "1", of: "pass", type: .nonConsumable, bundleId: "com.airport.vpn", at: HostileVectors.now)
        let text = try authority.sign(sale).text
        let header = String(text.prefix { $0 != "." })
        let period: ClosedRange<Int64> = 1_546_300_800...1_893_456_000
        #expect(try authority.trustRoots.validityOfLeaf(under: header) == period)
        #expect(try other.trustRoots.validityOfLeaf(under: header) == nil)
        for broken in ["", "x", text, String(header.dropLast())] {
            #expect(try authority.trustRoots.validityOfLeaf(under: broken) == nil, "\(broken.prefix(20))")
        }
    }

    @Test func `PEM is read too, several in one file`() throws {
        let texts = try (0..<3).map { _ in try HostileVectors.authority().kept.root }
        #expect(try TrustRoots(files: [Array(texts.joined(separator: "\n").utf8)]).roots.count == 3)
        #expect(try TrustRoots(files: texts.map { Array($0.utf8) }).roots.count == 3)
    }

    @Test func `a file that holds no root is refused`() throws {
        let authority = try HostileVectors.authority()
        let kept = try authority.kept
        check([], .none)
        check([[]], .unreadable)
        check([Array("hello".utf8)], .unreadable)
        check([Array("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----".utf8)], .unreadable)
        check([Array(kept.rootKey.utf8)], .unreadable)
        check([try authority.root.der, [0x30]], .unreadable)
        check([try authority.leaf.der], .notARoot(subject: authority.leaf.subject.description))
        check([try authority.intermediate.der], .notARoot(subject: authority.intermediate.subject.description))
    }

    @Test func `of several roots of one name the right one is found`() throws {
        let authorities = try (0..<3).map { _ in try HostileVectors.authority() }
        let roots = try TrustRoots(files: authorities.map { try $0.root.der })
        let verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: roots)
        for authority in authorities {
            for (name, jws) in try HostileVectors.accepted(authority) {
                #expect(throws: Never.self, "\(name)") {
                    try verifier.verify(SignedTransaction(jws), at: HostileVectors.now)
                }
            }
        }
    }

    private func check(_ files: [[UInt8]], _ expected: TrustRoots.Defect) {
        #expect(throws: expected) { try TrustRoots(files: files) }
    }
}
