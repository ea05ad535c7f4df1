import Foundation
package import StoreSimulator

extension ReceiptAuthority {
    /// The authority of all tests, made once: RSA keys take long.
    package static let sample = Result {
        try ReceiptAuthority(validFrom: 1_700_000_000_000, validUntil: 1_900_000_000_000)
    }
}

extension SimulatedReceipt {
    /// A receipt of the Sandbox, made on 2026-01-10.
    package init(_ ids: [String] = [], ofApp bundleID: String = "com.example.app") {
        self.init(ids.map { Purchase($0, of: $0) }, ofApp: bundleID, at: 1_768_003_200_000)
    }

    /// The receipt in base64, signed by the authority of all tests.
    package var text: String {
        get throws { Data(try signed(by: ReceiptAuthority.sample.get())).base64EncodedString() }
    }

    /// The receipt in base64, without a signer.
    package var unsignedText: String { Data(unsigned).base64EncodedString() }
}
