import AppStore
import StoreSimulator
import Support

/// One authority and its hostile vectors for all tests of a run: minting a thousand texts takes seconds.
struct HostileFixture: Sendable {
    let authority: DevelopmentAuthority
    let accepted: [(name: String, jws: String)]
    let vectors: [HostileVector]

    private static let shared = Result { try HostileFixture() }

    private init() throws {
        authority = try HostileVectors.authority()
        accepted = try HostileVectors.accepted(authority)
        vectors = try HostileVectors.all(authority)
    }

    /// - Throws: If a vector cannot be minted.
    static func minted() throws -> HostileFixture {
        try shared.get()
    }

    /// The tools that the vectors were made with.
    ///
    /// - Throws: Never.
    var mint: HostileMint {
        get throws { try HostileMint(authority: authority, app: HostileVectors.app, now: HostileVectors.now) }
    }
}
