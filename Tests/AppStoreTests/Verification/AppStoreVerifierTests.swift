import Entitlements
import AppStore
import StoreSimulator
import Support
import Synchronization
import Testing

/// Batches, and the question to Apple about revocation.
@Suite struct AppStoreVerifierTests {
    private let mint: HostileMint
    private let evidence: EvidenceVerifier
    private let now = HostileVectors.now

    init() throws {
        let fixture = try HostileFixture.minted()
        mint = try fixture.mint
        evidence = EvidenceVerifier(apps: [HostileVectors.app], roots: try fixture.authority.trustRoots)
    }

    @Test func `a batch answers in order, each item for itself, on any number of cores`() async throws {
        let verifier = AppStoreVerifier(evidence: evidence)
        var texts: [SignedTransaction] = []
        for place in 0..<40 {
            texts.append(
                place % 7 == 3
                    ? SignedTransaction("x\(place)")
                    : SignedTransaction(try mint.sign(mint.changed("transactionId", .string("\(place)")))))
        }
        texts += texts
        for cores in [1, 2, 3, 64, 1000] {
            for count in [0, 1, 3, 4, 5, texts.count] {
                let verdicts = try await verifier.verify(all: Array(texts.prefix(count)), at: now, cores: cores)
                #expect(verdicts.count == count)
                for (place, verdict) in verdicts.enumerated() {
                    switch verdict {
                    case .genuine(let verified):
                        #expect(verified.payload.transactionId == "\(place % 40)")
                        #expect(verified.text.text == texts[place].text)
                    case .refused(let error): #expect(error.reason == .malformed && place % 40 % 7 == 3)
                    case .notJudged: Issue.record("not judged: \(place)")
                    }
                }
            }
        }
    }

    @Test func `without the check, evidence alone decides`() async throws {
        let verifier = AppStoreVerifier(evidence: evidence)
        #expect(try await verifier.verify(SignedTransaction(try mint.sign(mint.payload)), at: now).isSuccess)
        #expect(try await !verifier.verify(SignedTransaction("a.b.c"), at: now).isSuccess)
    }

    @Test func `good answers are kept for a quarter of an hour`() async throws {
        let responder = Responder(mint.authority)
        let uptime = TestUptime()
        let verifier = verifier(asking: responder, uptime: uptime)
        let text = SignedTransaction(try mint.sign(mint.payload))
        #expect(try await verifier.verify(text, at: now).isSuccess)
        #expect(responder.questions == 2)
        uptime.now = CertificateStatusCheck.keptFor - .milliseconds(1)
        #expect(try await verifier.verify(text, at: now).isSuccess)
        #expect(responder.questions == 2)
        uptime.now = CertificateStatusCheck.keptFor
        #expect(try await verifier.verify(text, at: now).isSuccess)
        #expect(responder.questions == 4)
    }

    @Test func `a good answer is kept no longer for a clock that was ahead when it came`() async throws {
        let responder = Responder(mint.authority)
        let uptime = TestUptime()
        let verifier = verifier(asking: responder, uptime: uptime)
        let text = SignedTransaction(try mint.sign(mint.payload))
        #expect(try await verifier.verify(text, at: now + 3_600_000).isSuccess)
        uptime.now = CertificateStatusCheck.keptFor
        responder.answer(.unreachable)
        await #expect(throws: CertificateStatusUnavailable()) { try await verifier.verify(text, at: now) }
    }

    @Test func `a revoked certificate is an untrusted chain`() async throws {
        for revoked in [Responder.Certificate.leaf, .intermediate] {
            try await check(Responder(mint.authority, revoked: revoked), .chainUntrusted)
        }
    }

    @Test(arguments: Responder.Mode.allCases.filter { $0 != .good })
    func `whatever says neither good nor revoked is a fault, never a verdict, and is not kept`(
        mode: Responder.Mode
    ) async throws {
        let responder = Responder(mint.authority, mode: mode)
        let verifier = verifier(asking: responder)
        let texts = try (0..<6).map {
            SignedTransaction(try mint.sign(mint.changed("transactionId", .string("\($0)"))))
        }
        await #expect(throws: CertificateStatusUnavailable()) { try await verifier.verify(texts[0], at: now) }
        await #expect(throws: CertificateStatusUnavailable()) {
            try await verifier.verify(all: texts, at: now, cores: 2)
        }
        responder.answer(.good)
        #expect(try await verifier.verify(texts[0], at: now).isSuccess)
    }

    @Test func `Apple is asked about nothing but evidence that passed`() async throws {
        let responder = Responder(mint.authority, mode: .unreachable)
        let verifier = verifier(asking: responder)
        for vector in try HostileFixture.minted().vectors {
            let verdict = try await verifier.verify(SignedTransaction(vector.jws), at: now)
            #expect(!verdict.isSuccess)
        }
        #expect(responder.questions == 0)
    }

    @Test func `every kind of evidence is asked about`() async throws {
        let verifier = verifier(asking: Responder(mint.authority, revoked: .leaf))
        let app = HostileVectors.app.bundleId
        let subscription = SimulatedTransaction.subscription(
            "1", of: "p", group: "g", bundleId: app, at: now - 5000, until: now)
        let renewalInfo = try mint.authority.sign(SimulatedRenewalInfo(for: subscription))
        let download = try mint.authority.sign(SimulatedAppTransaction(bundleId: app, at: now))
        let notification = try mint.authority.sign(
            SimulatedNotification(
                .test, uuid: "u", about: .data(transaction: nil, renewalInfo: nil, status: nil), bundleId: app, at: now)
        )
        #expect(try await !verifier.verify(renewalInfo, at: now).isSuccess)
        #expect(try await !verifier.verify(download, at: now).isSuccess)
        #expect(try await !verifier.verify(notification, at: now).isSuccess)
    }

    private func verifier(asking responder: Responder, uptime: TestUptime = TestUptime()) -> AppStoreVerifier {
        let check = CertificateStatusCheck(transport: responder, uptime: { uptime.now })
        return AppStoreVerifier(evidence: evidence, statusCheck: check)
    }

    private func check(_ responder: Responder, _ expected: EvidenceError.Reason) async throws {
        let verdict = try await verifier(asking: responder).verify(
            SignedTransaction(try mint.sign(mint.payload)), at: now)
        guard case .failure(let error) = verdict else {
            Issue.record("accepted")
            return
        }
        #expect(error.reason == expected)
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
