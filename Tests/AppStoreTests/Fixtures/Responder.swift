import AppStore
import Crypto
import Foundation
import StoreSimulator
import Support
import SwiftASN1
import Synchronization
import X509

/// Apple's OCSP responder for a development authority, well or badly behaved (RFC 6960 §4.2).
final class Responder: OCSPTransport {
    enum Certificate: Hashable { case leaf, intermediate }
    enum Mode: CaseIterable {
        case good, unknown, garbage, forged, stale, ofAnother, empty, unreachable
        case malformedRequest, internalError, tryLater, sigRequired, unauthorized
    }
    struct Unreachable: Error {}

    private let authority: DevelopmentAuthority
    private let revoked: Certificate?
    private let state: Mutex<(mode: Mode, questions: Int)>

    init(_ authority: DevelopmentAuthority, revoked: Certificate? = nil, mode: Mode = .good) {
        self.authority = authority
        self.revoked = revoked
        self.state = Mutex((mode, 0))
    }

    var questions: Int { state.withLock { $0.questions } }

    func answer(_ mode: Mode) {
        state.withLock { $0.mode = mode }
    }

    func post(_ request: [UInt8], to address: String) async throws -> [UInt8] {
        let mode = state.withLock { state in
            state.questions += 1
            return state.mode
        }
        switch mode {
        case .unreachable: throw Unreachable()
        case .garbage: return Array("<html>".utf8)
        case .empty: return []
        case .malformedRequest: return Self.refusal(1)
        case .internalError: return Self.refusal(2)
        case .tryLater: return Self.refusal(3)
        case .sigRequired: return Self.refusal(5)
        case .unauthorized: return Self.refusal(6)
        case .good, .unknown, .forged, .stale, .ofAnother:
            return try answer(to: request, about: address.hasSuffix("root") ? .intermediate : .leaf, mode)
        }
    }

    private func answer(to request: [UInt8], about certificate: Certificate, _ mode: Mode) throws -> [UInt8] {
        var certificateID = try Self.certificateID(in: request)
        if mode == .ofAnother { certificateID[certificateID.count - 1] ^= 1 }
        let day: Double = mode == .stale ? -20 : 0
        let issuer = certificate == .leaf ? authority.intermediate : authority.root
        let key =
            mode == .forged
            ? P384.Signing.PrivateKey() : certificate == .leaf ? authority.intermediateKey : authority.rootKey
        let status: [UInt8] =
            revoked == certificate ? Self.tagged(0xA1, Self.time(day)) : [mode == .unknown ? 0x82 : 0x80, 0x00]
        let single = Self.sequence(certificateID + status + Self.time(day - 1) + Self.tagged(0xA0, Self.time(day + 1)))
        var name = DER.Serializer()
        try name.serialize(issuer.subject)
        let data = Self.sequence(Self.tagged(0xA1, name.serializedBytes) + Self.time(day) + Self.sequence(single))
        let signature = try key.signature(for: data).derRepresentation
        let algorithm = Self.sequence([0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03])
        let basic = Self.sequence(data + algorithm + Self.tagged(0x03, [0x00] + signature))
        let basicType: [UInt8] = [0x06, 0x09, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01]
        return Self.sequence(
            [0x0A, 0x01, 0x00] + Self.tagged(0xA0, Self.sequence(basicType + Self.tagged(0x04, basic))))
    }

    /// OCSPRequest → tbsRequest → requestList → Request → reqCert.
    private static func certificateID(in request: [UInt8]) throws -> [UInt8] {
        var node = try DER.parse(request)
        for _ in 0..<4 {
            guard case .constructed(let children) = node.content, let first = children.first(where: { _ in true })
            else { throw Unreachable() }
            node = first
        }
        return Array(node.encodedBytes)
    }

    /// A status of RFC 6960 §4.2.1 that says nothing about a certificate.
    private static func refusal(_ status: UInt8) -> [UInt8] { sequence([0x0A, 0x01, status]) }

    private static func time(_ days: Double) -> [UInt8] {
        let date = Date(timeIntervalSince1970: Double(HostileVectors.now) / 1000 + days * 86_400)
        let text = date.formatted(Date.VerbatimFormatStyle.generalized)
        return tagged(0x18, Array(text.utf8))
    }

    private static func sequence(_ content: [UInt8]) -> [UInt8] {
        tagged(0x30, content)
    }

    private static func tagged(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 128
            ? [UInt8(count)] : count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }
}

extension Date.VerbatimFormatStyle {
    /// `YYYYMMDDHHMMSSZ`, as ASN.1 writes an instant.
    fileprivate static var generalized: Self {
        Date.VerbatimFormatStyle(
            format: """
                \(year: .padded(4))\(month: .twoDigits)\(day: .twoDigits)\
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\
                \(minute: .twoDigits)\(second: .twoDigits)Z
                """,
            timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    }
}
