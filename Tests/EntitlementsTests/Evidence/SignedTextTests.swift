import Entitlements
import Testing

/// The parts of the text that proves a state.
struct SignedTextTests {
    @Test(arguments: [("head.payload.sign", "sign"), ("head.payload.", ""), ("head", "head"), ("", "")])
    func `the signature is what follows the last dot`(text: String, signature: String) {
        let header = SignedText.Header(length: 4, digest: [])
        #expect(SignedText(text: text, digest: [], header: header).signature == signature)
    }

    @Test func `a text is its header and what follows it`() {
        let text = SignedText(text: "head.payload.sign", digest: [], header: .init(length: 4, digest: []))
        #expect(text.beginning == "head" && text.rest == Array(".payload.sign".utf8))
    }
}
