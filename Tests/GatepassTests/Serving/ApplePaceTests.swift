import AppStore
import Entitlements
import Foundation
import Testing

@testable import Gatepass

/// How fast one instance asks Apple (`apple.md` §10.4).
struct ApplePaceTests {
    private static let question = AppStoreQuestion.history(of: "1", after: nil)

    @Test func `a question is asked at a fifth of Apple's rate, and Sandbox at a tenth of that`() {
        #expect(ApplePace.rate(of: Self.question, in: .production) == 10)
        #expect(ApplePace.rate(of: Self.question, in: .sandbox) == 1)
        #expect(ApplePace.rate(of: .testNotification, in: .production) == 0.2)
        #expect(ApplePace.rate(of: .testNotification, in: .sandbox) == 0.1, "never less")
    }

    private static let now = Instant(milliseconds: 1_768_478_400_000)

    @Test func `places are given one after the other, and nobody waits for more than ten seconds`() async throws {
        let pace = ApplePace()
        var waits: [Int64] = []
        for _ in 0...10 { waits.append(try await pace.place(for: Self.question, in: .sandbox, at: Self.now)) }
        #expect(waits == (0...10).map { $0 * 1_000 })
        await #expect(throws: AppStoreServerFailure.paused(until: Self.now + 11_000)) {
            try await pace.place(for: Self.question, in: .sandbox, at: Self.now)
        }
        #expect(try await pace.place(for: Self.question, in: .sandbox, at: Self.now + 20_000) == 0)
        #expect(try await pace.place(for: Self.question, in: .production, at: Self.now) == 0, "each has its own")
    }

    @Test func `after five failures in a row nothing is asked for a while, and an answer ends the row`() async throws {
        let (pace, rest) = (ApplePace(), Self.now + 30_000)
        let failures = [
            AppStoreServerFailure.unreachable("away"), .unreachable("away"), .keyNotAccepted, .unreachable("away"),
            .unreachable("away"),
        ]
        for failure in failures { await pace.note(failure, in: .production, at: Self.now) }
        await pace.note(nil, in: .production, at: Self.now)
        for failure in failures { await pace.note(failure, in: .production, at: Self.now) }
        _ = try await pace.place(for: Self.question, in: .production, at: Self.now)
        await pace.note(.unreachable("away"), in: .production, at: Self.now)
        await #expect(throws: AppStoreServerFailure.paused(until: rest)) {
            try await pace.place(for: Self.question, in: .production, at: rest + -1)
        }
        _ = try await pace.place(for: Self.question, in: .production, at: rest)
        _ = try await pace.place(for: Self.question, in: .sandbox, at: Self.now)
    }

    @Test func `a pause that Apple wants also stops questions that wait for their place`() async throws {
        let pace = ApplePace()
        _ = try await pace.place(for: Self.question, in: .production, at: Self.now)
        await pace.note(.paused(until: Self.now + 5_000), in: .production, at: Self.now)
        await pace.note(.paused(until: Self.now + 1_000), in: .production, at: Self.now)
        await #expect(throws: AppStoreServerFailure.paused(until: Self.now + 5_000)) {
            try await pace.admit(in: .production, at: Self.now + 4_999)
        }
        try await pace.admit(in: .production, at: Self.now + 5_000)
        try await pace.admit(in: .sandbox, at: Self.now)
    }

    @Test func `the date of an answer shows by how much this machine's clock is ahead or behind`() async {
        let pace = ApplePace()
        #expect(await pace.lead == nil)
        for (theirs, lead) in [(0, 0), (2_000, 0), (-3_000, 3_000), (9_000, -7_000)] as [(Int64, Int64)] {
            await pace.note(date: Self.now + theirs, between: Self.now, and: Self.now + 2_000)
            #expect(await pace.lead == lead)
        }
    }

    @Test func `a date is read as HTTP writes it`() {
        #expect(AppleServer.instant("Thu, 15 Jan 2026 12:00:00 GMT") == Self.now)
        for text in ["", "now", "2026-01-15T12:00:00Z", "Thu, 35 Jan 2026 12:00:00 GMT"] {
            #expect(AppleServer.instant(text) == nil, "\(text)")
        }
    }

    @Test func `the readiness page tells what Apple's last answers say`() async {
        let pace = ApplePace()
        #expect(await pace.words == "not asked yet")
        await pace.note(.keyNotAccepted, in: .production, at: Self.now)
        await pace.note(.refused(code: 4_040_010), in: .sandbox, at: Self.now)
        #expect(await pace.words == "Production: the key is not accepted; Sandbox: answers")
        await pace.note(.paused(until: Self.now), in: .production, at: Self.now)
        #expect(await pace.words == "Production: the key is not accepted; Sandbox: answers")
    }
}
