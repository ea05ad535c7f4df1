import Foundation
import Support
import Testing

/// What `gatepass inspect` says of texts that are no JWS, or one of another form than it was made.
@Suite struct InspectTests {
    @Test func `each other form is named, with the place where the text belongs`() async throws {
        let installation = try await DevelopmentInstallation.open()
        defer { installation.close() }
        let sold = try await installation.simulate(["purchase", "--user", "ann", "--print"])
        let jws = sold.text.trimmingCharacters(in: .whitespacesAndNewlines)
        let made = try await installation.simulate(["receipt", "--user", "ann"])
        let receipt = made.text.trimmingCharacters(in: .whitespacesAndNewlines)
        let json = #"{"transactionId":"1"}"#
        let genuine = try await installation.run(["inspect", jws])
        #expect(genuine.status == 0 && genuine.text.contains("verdict: a genuine transaction"), "\(genuine.text)")
        #expect(genuine.text.contains("header: {"))
        for (text, words) in [
            (receipt, "This is a receipt: send it to POST /api/iap/apple/receipts as receipt_data."),
            (json, "This is a decoded transaction: send the signed text that it was in"),
            (Data(jws.utf8).base64EncodedString(), "This is base64 of a signed transaction"),
            (Data(receipt.utf8).base64EncodedString(), "This is base64 of a receipt"),
            ("\"\(jws)\"", "This is a signed transaction in quotation marks: send it without them"),
        ] {
            let said = try await installation.run(["inspect", text])
            #expect(said.status == 1 && said.text.contains(words), "\(said.text)")
            #expect(said.text.contains("malformed") && !said.text.contains("header:"), "\(said.text)")
        }
        let other = try await installation.run(["inspect", "x"])
        #expect(other.status == 1 && other.text.contains("this text has one"), "\(other.text)")
    }
}
