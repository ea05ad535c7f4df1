import Crypto
import Foundation
import StoreSimulator
import Support

/// Apple's servers as a test sets them: the App Store Server API and verifyReceipt, and the settings that lead there.
struct EndToEndApple {
    private let receiver: StoreReceiver
    private let keyFile: String
    private let receiptRootFile: String

    /// Answers each request by its line, such as `GET /inApps/v1/lookup/MQ7HX2K4TN HTTP/1.1`. Throws when it cannot
    /// listen, or the key cannot be written.
    init(answering answer: @escaping @Sendable (String) -> StoreReceiver.Answer) throws {
        receiver = try StoreReceiver { request, _ in answer(request.line) }
        keyFile = "/tmp/gatepass-apple-key-\(UInt32.random(in: .min ... .max)).p8"
        try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: URL(fileURLWithPath: keyFile))
        receiptRootFile = keyFile + ".receipt-root.pem"
        let root = try ReceiptAuthority.sample.get().kept.root
        try Data(root.utf8).write(to: URL(fileURLWithPath: receiptRootFile))
    }

    /// The settings of a server that asks here.
    var settings: [String: String] {
        let address = "http://127.0.0.1:\(receiver.port)"
        return [
            "GATEPASS_APPLE_ISSUER_ID": "00000000-0000-0000-0000-000000000000", "GATEPASS_APPLE_KEY_ID": "TEST",
            "GATEPASS_APPLE_RECEIPT_ROOTS": receiptRootFile, "GATEPASS_APPLE_PRIVATE_KEY_FILE": keyFile,
            "GATEPASS_APPLE_API_BASE_URL": address,
            "GATEPASS_APPLE_SANDBOX_API_BASE_URL": address, "GATEPASS_APPLE_SHARED_SECRET": "shared",
            "GATEPASS_APPLE_VERIFY_RECEIPT_URL": address + "/verifyReceipt",
            "GATEPASS_APPLE_SANDBOX_VERIFY_RECEIPT_URL": address + "/sandbox/verifyReceipt",
        ]
    }

    /// What was asked so far.
    var requests: [StoreReceiver.Request] { receiver.requests }

    func close() {
        receiver.stop()
        for file in [keyFile, receiptRootFile] {
            try? FileManager.default.removeItem(atPath: file)  // it is under /tmp
        }
    }
}
