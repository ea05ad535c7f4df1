import Foundation
import StoreSimulator
import Support
import SwiftASN1
import Testing
import X509

@testable import AppStore
@testable import StrictJSON

/// Changed at random, but the same way in every run: nothing crashes, and nothing is accepted that must not be.
@Suite struct FuzzTests {
    @Test func `JSON that is read here is read by Foundation too`() throws {
        var random = SeededGenerator(seed: 2)
        let mint = try HostileMint(
            authority: try HostileVectors.authority(), app: HostileVectors.app, now: HostileVectors.now)
        let seeds = [
            mint.fullPayload.json, #"{"a":[1,-2.5,{"b":"\u00e9\ud83d\ude00"},null,true],"é":"日本"}"#,
            #"["",[],{},0,-0.5,"\n"]"#,
        ].map { Array($0.utf8) }
        var read = 0
        for round in 0..<120_000 {
            let bytes = mutated(seeds[round % seeds.count], using: &random)
            // Lost in the try: why it is refused; nothing is claimed about that.
            guard (try? StrictJSON(bytes)) != nil else { continue }
            read += 1
            guard round % 8 == 0, !hasExponent(bytes) else { continue }
            #expect(throws: Never.self) {
                try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            }
        }
        #expect(read > 10_000)
    }

    /// A body of objects that differ in their names alone.
    private struct Names: Hashable {
        let objects: Int
        let count: Int
        let length: Int
        let piece: String

        var body: [UInt8] {
            let start = String(repeating: piece, count: length)
            let object = "{" + (0..<count).map { #""\#(start)\#($0)":0"# }.joined(separator: ",") + "}"
            return Array(("[" + Array(repeating: object, count: objects).joined(separator: ",") + "]").utf8)
        }
    }

    /// How many bytes of names are read again of a body, also of one that is refused.
    private func work(_ body: [UInt8], boundsNames: Bool = true) -> Int {
        body.withUnsafeBufferPointer { input in
            var scanner = JSONScanner(input, boundsNames: boundsNames)
            _ = try? scanner.document()  // Lost: why it is refused; what was done until then counts.
            return scanner.bytesReadAgain
        }
    }

    /// The dearest that this fuzzer found: of its 3,033 bytes 3,025 are read again. It is refused then.
    private static let dearest = Names(objects: 1, count: 1, length: 252, piece: "\\ud83d\\ude00")

    @Test func `no names are dearer than the dearest that were found, each of which is read again once`() {
        #expect(work(Self.dearest.body) == 3_025 && Self.dearest.body.count == 3_033)
        var random = SeededGenerator(seed: 6)
        let pieces = ["a", "\\u0061", "\\ud83d\\ude00", "é", "\\/", "\\n", "日", "ab"]
        var (found, figure) = (Self.dearest, 0.0)
        for _ in 0..<2_000 {
            let piece = pieces.randomElement(using: &random) ?? ""
            let names = Names(
                objects: Int.random(in: 1...4, using: &random), count: Int.random(in: 1...70, using: &random),
                length: Int.random(in: 0...260, using: &random), piece: piece)
            guard names.objects * names.count * (names.length * piece.utf8.count + 8) < 4_096 else { continue }
            let body = names.body
            let done = Double(work(body)) / Double(body.count)
            if done > figure { (found, figure) = (names, done) }
        }
        print("the dearest names: \(found), \(figure) bytes read again a byte")
        #expect(found == Self.dearest && figure == 3_025.0 / 3_033)
    }

    @Test func `64 names of 4,000 bytes in escapes are given up at the first, and read once where they are genuine`() {
        let body = Names(objects: 1, count: 64, length: 660, piece: "\\u0061").body
        #expect(body.count > 250_000)
        #expect(work(body) < 4_000)
        #expect(work(body, boundsNames: false) == 64 * 3_960 + 10 + 2 * 54)
    }

    @Test func `base64 that is read is the one spelling of what it says`() {
        var random = SeededGenerator(seed: 3)
        var read = 0
        for _ in 0..<60_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let padded = Array(Data(bytes).base64EncodedString().utf8)
            for (text, isURL) in [
                (mutated(padded, using: &random), false),
                (mutated(Array(CompactText.base64URL(bytes).utf8), using: &random), true),
            ] {
                let decoded = text.withUnsafeBufferPointer { isURL ? Base64.decodeURL($0) : Base64.decodePadded($0) }
                guard let decoded else { continue }
                read += 1
                let spelled = isURL ? CompactText.base64URL(decoded) : Data(decoded).base64EncodedString()
                #expect(Array(spelled.utf8) == text)
            }
        }
        #expect(read > 10_000)
    }

    @Test func `no changed text is accepted`() throws {
        var random = SeededGenerator(seed: 4)
        let authority = try HostileVectors.authority()
        let verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: try authority.trustRoots)
        let texts = try HostileVectors.accepted(authority).map { Array($0.jws.utf8) }
        for round in 0..<8_000 {
            let original = texts[round % texts.count]
            // Two thirds of a text are certificates; change its end as often.
            let start = round % 2 == 0 ? 0 : (original.lastIndex(of: 0x2E) ?? 0) - 400
            let bytes = Array(original[..<start]) + mutated(Array(original[start...]), using: &random)
            guard bytes != original else { continue }
            let text = SignedTransaction(String(decoding: bytes, as: UTF8.self))
            let isAccepted = (try? verifier.verify(text, at: HostileVectors.now)) != nil  // Lost: the reason.
            #expect(!isAccepted, "round \(round)")
        }
    }

    /// One octet stands outside of what the issuer signed and is ignored by swift-certificates: the number of unused
    /// bits in front of the signature, if that many of the signature's last bits are zero. It changes nothing that a
    /// certificate says.
    @Test func `certificates changed at random are refused or say the same`() throws {
        var random = SeededGenerator(seed: 5)
        let authority = try HostileVectors.authority()
        let mint = try HostileMint(authority: authority, app: HostileVectors.app, now: HostileVectors.now)
        let verifier = EvidenceVerifier(apps: [HostileVectors.app], roots: try authority.trustRoots)
        for round in 0..<3_000 {
            var certificates = mint.certificates
            let place = round % 2
            certificates[place] = mutated(certificates[place], using: &random)
            guard certificates != mint.certificates else { continue }
            let text = try mint.sign(certificates: certificates)
            // Lost in the try: the reason.
            guard (try? verifier.verify(SignedTransaction(text), at: HostileVectors.now)) != nil else { continue }
            let accepted = try Certificate(derEncoded: certificates[place]).tbsCertificateBytes
            #expect(
                accepted == (place == 0 ? authority.leaf : authority.intermediate).tbsCertificateBytes, "round \(round)"
            )
        }
    }

    /// One to three small changes: a bit, a byte, a piece left out, doubled, moved or from another alphabet.
    private func mutated(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 0...8, using: &random))
            switch Int.random(in: 0..<7, using: &random) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4: bytes.insert(Self.interesting.randomElement(using: &random) ?? 0, at: place)
            case 5 where place < bytes.count: bytes[place] = Self.interesting.randomElement(using: &random) ?? 0
            default: bytes[place..<end].reverse()
            }
        }
        return bytes
    }

    private static let interesting =
        Array(#"{}[]",:\/u0123456789abcdefnrt+-_=. eE"#.utf8) + [0x00, 0x0A, 0x7F, 0x80, 0xBF, 0xC0, 0xED, 0xF4, 0xFF]

    /// Foundation refuses numbers that do not fit its types.
    private func hasExponent(_ bytes: [UInt8]) -> Bool {
        zip(bytes, bytes.dropFirst()).contains { (0x30...0x39).contains($0) && ($1 | 0x20) == 0x65 }
    }
}
