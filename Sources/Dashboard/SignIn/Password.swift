import Crypto
import CryptoExtras
import EntitlementAPI

/// The cost of scrypt (RFC 7914 §2). With the standard parameters it takes some 100 ms and 32 MiB.
package struct PasswordCost: Sendable, Hashable {
    package static let standard = PasswordCost(logN: 15, blockSize: 8, parallelism: 3)

    /// The logarithm of N to the base 2.
    let logN: Int
    let blockSize: Int
    let parallelism: Int

    package init(logN: Int, blockSize: Int, parallelism: Int) {
        self.logN = logN
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// The cost in a stored text; nil if it is none, or more than this server would ever spend.
    fileprivate init?(_ parts: ArraySlice<Substring>) {
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 3, (1...20).contains(numbers[0]), (1...16).contains(numbers[1]),
            (1...16).contains(numbers[2])
        else { return nil }
        self.init(logN: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
    }
}

/// A password's hash by scrypt, as text with its parameters: `scrypt$15$8$3$SALT$KEY`.
struct PasswordHash: Sendable, Hashable {
    static let saltBytes = 16
    /// The shortest and the longest password, in characters.
    static let lengths = 12...256
    private static let keyBytes = 32

    private let cost: PasswordCost
    private let salt: String
    private let key: String

    /// The text that is stored.
    var text: String { "scrypt$\(cost.logN)$\(cost.blockSize)$\(cost.parallelism)$\(salt)$\(key)" }

    /// Hashes a password. Nil if the library refuses.
    init?(of password: String, salt: [UInt8], cost: PasswordCost) {
        self.init(of: password, salt: Base64URL.encode(salt), cost: cost)
    }

    private init?(of password: String, salt: String, cost: PasswordCost) {
        // `try?` drops the library's reason: the parameters are bounded here, so memory is what can be missing.
        let derived = try? KDF.Scrypt.deriveKey(
            from: Array(password.utf8), salt: Array(salt.utf8), outputByteCount: Self.keyBytes,
            rounds: 1 << cost.logN, blockSize: cost.blockSize, parallelism: cost.parallelism)
        guard let derived else { return nil }
        self.cost = cost
        self.salt = salt
        key = derived.withUnsafeBytes { Base64URL.encode($0) }
    }

    /// Reads a stored text; nil if it is none.
    init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "scrypt", let cost = PasswordCost(parts[1...3]) else { return nil }
        self.cost = cost
        salt = String(parts[4])
        key = String(parts[5])
    }

    /// A hash that no password has, to compare with where there is no account. So an unknown name takes as long.
    init(ofNobodyAt cost: PasswordCost) {
        self.cost = cost
        salt = Base64URL.encode([UInt8](repeating: 0, count: Self.saltBytes))
        key = "none"
    }

    /// True if `password` is the one that was hashed. It takes as long as hashing.
    func matches(_ password: String) -> Bool {
        guard let other = PasswordHash(of: password, salt: salt, cost: cost) else { return false }
        return SHA256.hash(data: Array(key.utf8)) == SHA256.hash(data: Array(other.key.utf8))
    }
}
