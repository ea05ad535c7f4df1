import Support
import Synchronization
import Testing

@testable import Dashboard

/// Passwords are hashed by scrypt with the parameters beside the hash, a few at a time.
@Suite struct PasswordTests {
    private static let cheap = PasswordCost(logN: 4, blockSize: 8, parallelism: 1)
    private static let salt = Array(UInt8(0)..<16)

    @Test func `a hash keeps its parameters, and only its password matches`() throws {
        let hash = try #require(PasswordHash(of: "a password of mine", salt: Self.salt, cost: Self.cheap))
        #expect(hash.text.hasPrefix("scrypt$4$8$1$"))
        let read = try #require(PasswordHash(text: hash.text))
        #expect(read == hash && read.matches("a password of mine"))
        #expect(!read.matches("a password of yours") && !read.matches(""))
        let salted = PasswordHash(of: "a password of mine", salt: Self.salt.reversed(), cost: Self.cheap)
        #expect(salted?.text != hash.text)
    }

    @Test func `nobody's hash has no password, at the same cost`() {
        let nobody = PasswordHash(ofNobodyAt: Self.cheap)
        #expect(!nobody.matches("") && !nobody.matches("none"))
        #expect(nobody.text.hasPrefix("scrypt$4$8$1$"))
        #expect(PasswordHash(ofNobodyAt: .standard).text.hasPrefix("scrypt$15$8$3$"))
    }

    @Test(arguments: [
        "", "scrypt", "scrypt$15$8$3$salt", "bcrypt$15$8$3$salt$key", "scrypt$40$8$3$salt$key", "scrypt$15$0$3$s$k",
        "scrypt$15$8$99$s$k", "scrypt$15$8$3$s$k$more", "scrypt$x$8$3$s$k",
    ])
    func `what is no hash, or asks for too much, is none`(text: String) {
        #expect(PasswordHash(text: text) == nil)
    }

    /// Counts who works, and opens the door.
    private final class Counters: Sendable {
        let working = Atomic(0)
        let most = Atomic(0)
        let isOpen = Atomic(false)
    }

    /// Has 40 people of a line come, while `meanwhile` is done with the line full; the answers in their order.
    private static func crowd(
        in line: PasswordDesk.Line, at desk: PasswordDesk, _ counters: Counters,
        meanwhile: @escaping @Sendable () async -> Void = {}
    ) async -> [Bool] {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    let served = try? await desk.serve(line, by: { .zero }) {
                        let now = counters.working.add(1, ordering: .relaxed).newValue
                        _ = counters.most.max(now, ordering: .relaxed)
                        while !counters.isOpen.load(ordering: .relaxed) { await Task.yield() }
                        counters.working.subtract(1, ordering: .relaxed)
                        return true
                    }
                    return served ?? false
                }
            }
            var answers: [Bool] = []
            for await answer in group {
                answers.append(answer)
                guard answers.count == 31 else { continue }
                await meanwhile()
                // The places are freed only when all others were sent away.
                counters.isOpen.store(true, ordering: .relaxed)
            }
            return answers
        }
    }

    @Test func `one of a line is served at a time, eight wait, and the others are sent away`() async {
        let (desk, counters) = (PasswordDesk(), Counters())
        let answers = await Self.crowd(in: .strangers, at: desk, counters)
        #expect(answers.prefix(31).allSatisfy { !$0 } && answers.suffix(9).allSatisfy { $0 })
        #expect(counters.most.load(ordering: .relaxed) == 1)
    }

    @Test(arguments: PasswordDesk.Line.allCases)
    func `a line that is full takes no place of another`(_ full: PasswordDesk.Line) async {
        let (desk, counters) = (PasswordDesk(), Counters())
        _ = await Self.crowd(in: full, at: desk, counters) {
            for line in PasswordDesk.Line.allCases {
                let served = try? await desk.serve(line, by: { .zero }) { true }
                #expect(served == (line == full ? nil : true), "\(line)")
            }
        }
    }

    @Test func `the lines together hash for less than half of a minute, and a line without time holds up no other`()
        async throws
    {
        let (desk, uptime) = (PasswordDesk(), TestUptime())
        var hashed = Duration.zero
        /// A hash that takes some milliseconds; false if the line has no time left.
        func hash(_ line: PasswordDesk.Line, _ milliseconds: Int) async throws -> Bool {
            try await desk.serve(line, by: { uptime.now }) {
                await desk.hashed(in: line, by: { uptime.now }) { uptime.now += .milliseconds(milliseconds) } != nil
            } ?? false
        }
        while uptime.now < .seconds(60) {
            for line in PasswordDesk.Line.allCases where try await hash(line, 100) { hashed += .milliseconds(100) }
            uptime.now += .milliseconds(10)
        }
        #expect(hashed > .seconds(24) && hashed <= .seconds(30), "\(hashed)")
        uptime.now += .seconds(600)
        while try await hash(.strangers, 100) {}
        #expect(try await hash(.known, 100))
        #expect(try await !hash(.strangers, 100))
        uptime.now += .seconds(PasswordDesk.secondsBack)
        #expect(try await hash(.strangers, 100))
    }
}
