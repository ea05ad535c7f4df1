import Crypto
import Entitlements
import HTTPTypes
import Hummingbird
import LedgerStore
import NIOCore
import StrictJSON

/// An attempt to carry out a request under an idempotency key.
struct IdempotentAttempt {
    let claim: IdempotencyClaim
    let seal: AnswerSeal

    /// The answer in the form in which it is stored for repeats.
    func remembered(_ status: HTTPResponse.Status, _ bytes: [UInt8]) -> RememberedAnswer {
        RememberedAnswer(
            claim: claim, status: status.code, body: seal.sealed(bytes, for: claim.key, claim.claimant))
    }
}

extension ServerCall {
    /// Carries out a server's write once. Repeats under the same idempotency key get the same answer for a day.
    ///
    /// The stored answer is encrypted under the server's own API key, because it may hold a secret that is stored
    /// nowhere else. The answer is erased with any person whom the request is about.
    ///
    /// `act` must be safe to repeat, or store the answer in its own transaction. If the process dies between the act
    /// and the storing of the answer, a repeat runs `act` again.
    ///
    /// - Throws: `invalid_request` without a key, `idempotency_key_reused`, `idempotency_in_progress`, `unavailable`,
    ///   and the error of `act`, which is not stored for repeats.
    func idempotently(
        _ body: JSONBody, about subject: IdempotencySubject,
        act: (IdempotentAttempt) async throws(Problem) -> JSONAnswer
    ) async throws(Problem) -> Response {
        let key = try idempotencyLabel()
        let seal = AnswerSeal(secret: secret)
        let asked = IdempotentRequest(of: self.key.id, key: key, digest: try digest(of: body), about: subject)
        let verdict = try await served { try await $0.idempotency.claim(asked) }
        switch verdict {
        case .claimed(let claim): return try await carryOut(IdempotentAttempt(claim: claim, seal: seal), act)
        case .answered(let status, let body, let claimant):
            guard let bytes = seal.opened(body, for: key, claimant) else { throw .unexpected }
            return JSONAnswer(status: HTTPResponse.Status(code: status), bytes: bytes, isRepeat: true).response
        case .reused: throw .idempotencyKeyReused
        case .inProgress: throw .idempotencyInProgress
        }
    }

    private func carryOut(
        _ attempt: IdempotentAttempt, _ act: (IdempotentAttempt) async throws(Problem) -> JSONAnswer
    ) async throws(Problem) -> Response {
        let answer: JSONAnswer
        do throws(Problem) {
            answer = try await act(attempt)
        } catch {
            // `try?` drops the error that the key was not released. The claim ends by itself later. A task of its own
            // releases the key even if the caller has left.
            await Task { try? await served { try await $0.idempotency.release(attempt.claim) } }.value
            throw error
        }
        if !answer.isRemembered {
            // If the answer cannot be stored, `try?` drops the error: the act is done, and the caller gets the answer.
            await Task {
                try? await served {
                    try await $0.idempotency.finish(attempt.remembered(answer.status, answer.bytes))
                }
            }.value
        }
        return answer.response
    }

    /// The label of method, path and body. It is a label because the path may name a user. The order of members in the
    /// body does not matter, because clients' encoders do not keep it.
    private func digest(of body: JSONBody) throws(Problem) -> Label {
        var sorted = JSONWriter()
        sorted.value(sorting: body.value)
        let hash = Hexadecimal.text(SHA256.hash(data: sorted.bytes))
        return try labels().label(.request, request.method.rawValue, request.uri.path, hash)
    }

    /// The id for an object that the request makes. It is the same for each attempt at this request, and differs for
    /// any other request.
    func nameForNew(_ body: JSONBody) throws(Problem) -> Label {
        try labels().label(.request, idempotencyLabel().text, digest(of: body).text)
    }

    /// The label of the idempotency key, which is unique among the keys of this server.
    private func idempotencyLabel() throws(Problem) -> Label {
        try labels().label(.idempotencyKey, "api_key", String(key.id), idempotencyKey())
    }
}

extension IdempotencySubject {
    /// The subject of a request about one or two users.
    init(_ user: UserID, and other: UserID? = nil, under labels: Labels) {
        self = .user(labels.label(.user, user.text), and: other.map { labels.label(.user, $0.text) })
    }
}

extension JSONWriter {
    /// Writes a parsed value, with the members of its objects sorted by name.
    fileprivate mutating func value(sorting value: JSONValue) {
        if let members = value.members {
            beginObject()
            for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
                name(member.name)
                self.value(sorting: member.value)
            }
            endObject()
        } else if let elements = value.elements {
            array(elements) { $0.value(sorting: $1) }
        } else if let text = value.string {
            self.value(text)
        } else if let flag = value.flag {
            self.value(flag)
        } else {
            self.value(json: value.number ?? "null")
        }
    }
}

/// Encrypts stored answers, so that the database alone does not reveal them.
struct AnswerSeal {
    let secret: APIKeySecret

    /// The encrypted bytes. They are empty if encryption fails, and then cannot be opened.
    func sealed(_ bytes: [UInt8], for key: Label, _ claimant: UInt64) -> [UInt8] {
        // `try?` drops the reason of a failure, which never occurs with a key of 32 bytes and a nonce of 12.
        guard let box = try? AES.GCM.seal(bytes, using: Self.key(secret, key, claimant), nonce: Self.nonce()) else {
            return []
        }
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// The decrypted bytes; nil if they were encrypted under another key.
    func opened(_ bytes: [UInt8], for key: Label, _ claimant: UInt64) -> [UInt8]? {
        guard bytes.count >= Self.tagBytes else { return nil }
        // Both `try?` drop the reason of the failure; in any case these are not the bytes of an answer.
        guard
            let box = try? AES.GCM.SealedBox(
                nonce: Self.nonce(), ciphertext: bytes.dropLast(Self.tagBytes), tag: bytes.suffix(Self.tagBytes)),
            let opened = try? AES.GCM.open(box, using: Self.key(secret, key, claimant))
        else { return nil }
        return Array(opened)
    }

    private static let tagBytes = 16

    /// The key that encrypts the answer of one attempt. No other attempt uses it, so a constant nonce is safe.
    private static func key(_ secret: APIKeySecret, _ key: Label, _ claimant: UInt64) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(secret.text.utf8)), salt: Array("gatepass answer".utf8),
            info: Array("\(claimant) \(key)".utf8), outputByteCount: 32)
    }

    /// - Throws: Never with 12 bytes.
    private static func nonce() throws -> AES.GCM.Nonce {
        try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12))
    }
}
