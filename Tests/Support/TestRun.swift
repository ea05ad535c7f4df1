import Glibc

/// What holds for a whole run of the tests.
package enum TestRun {
    /// Whether the long rounds are asked for: `GATEPASS_TEST_SOAK=1`.
    package static let isSoak = getenv("GATEPASS_TEST_SOAK").map { String(cString: $0) } == "1"

    /// The seed of all chance, `GATEPASS_TEST_SEED` or a new one; it is printed once.
    package static let seed: UInt64 = {
        let given = getenv("GATEPASS_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
        let seed = given ?? UInt64.random(in: 0..<1_000_000_000)
        print("GATEPASS_TEST_SEED=\(seed)")
        return seed
    }()

    /// True with `GATEPASS_TEST_CLUSTER=1`: then tests start a Galera cluster, and HAProxy.
    package static let hasCluster = getenv("GATEPASS_TEST_CLUSTER").map { String(cString: $0) } == "1"

    /// `usual` rounds, or `soak` of them where they are asked for.
    package static func rounds(_ usual: Int, soak: Int) -> Int {
        isSoak ? soak : usual
    }

    /// The program under test: the one that `GATEPASS_TEST_PROGRAM` names, or the debug build's.
    package static let program =
        getenv("GATEPASS_TEST_PROGRAM").map { String(cString: $0) } ?? repository + "/.build/debug/gatepass"

    /// The top of the repository, where `migrations` and `config` are.
    package static var repository: String {
        // …/Tests/Support/TestRun.swift
        #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    }
}

/// Chance that a seed repeats (SplitMix64).
package struct SeededChance: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Chance of its own for the test called `name`, from the seed of the run.
    package init(_ name: String, seed: UInt64 = TestRun.seed) {
        state = name.utf8.reduce(seed) { $0 &* 1_099_511_628_211 ^ UInt64($1) }
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
