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

    @Test func `two are served at a time, eight wait, and the others are sent away`() async {
        let (desk, counters) = (PasswordDesk(), Counters())
        let answers = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    let served = try? await desk.serve {
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
                // The places are freed only when all others were sent away.
                if answers.count == 30 { counters.isOpen.store(true, ordering: .relaxed) }
            }
            return answers
        }
        #expect(answers.prefix(30).allSatisfy { !$0 } && answers.suffix(10).allSatisfy { $0 })
        #expect(counters.most.load(ordering: .relaxed) == 2)
    }
}
