import Crypto
import Entitlements
import Synchronization
import Testing

@testable import EntitlementAPI

struct RemoteKeysTests {
    /// A login whose document can change and whose server can fail.
    private final class Login: Sendable {
        struct Down: Error {}
        let state = Mutex((keys: [(String, P256.Signing.PrivateKey)](), isDown: false, fetches: 0))

        func document() throws -> [UInt8] {
            try state.withLock { state in
                state.fetches += 1
                guard !state.isDown else { throw Down() }
                let entries = state.keys.map { kid, key in
                    let point = Array(key.publicKey.rawRepresentation)
                    let (x, y) = (Base64URL.encode(point[..<32]), Base64URL.encode(point[32...]))
                    return
                        #"{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":"\#(kid)","x":"\#(x)","y":"\#(y)"}"#
                }
                return Array(#"{"keys":[{"kty":"oct","k":"AAAA","kid":"s"},\#(entries.joined(separator: ","))]}"#.utf8)
            }
        }
    }

    @Test func `keys are fetched once, and again for unknown names at most once a minute`() async throws {
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let login = Login()
        login.state.withLock { $0.keys = [("a", first)] }
        let verifier = try await BearerVerifier(
            .remote(RemoteKeys { try login.document() }), policy: BearerPolicy())
        let exp = Fixture.now.milliseconds / 1000 + 36_000
        func token(_ kid: String?, _ key: P256.Signing.PrivateKey, _ user: String = "u1") throws -> String {
            try BearerVerifierTests.sign(#"{"sub":"\#(user)","exp":\#(exp)}"#, alg: "ES256", kid: kid) {
                try key.signature(for: $0).rawRepresentation
            }
        }
        func check(_ token: String, after milliseconds: Int64) async -> Result<UserID, BearerRefusal> {
            do throws(BearerRefusal) {
                return .success(
                    try await verifier.user(authorization: "Bearer " + token, at: Fixture.now + milliseconds))
            } catch {
                return .failure(error)
            }
        }
        let user = try Fixture.user()
        #expect(await check(try token("a", first), after: 0) == .success(user))
        #expect(await check(try token(nil, first), after: 1) == .success(user))
        #expect(await check(try token("b", second), after: 2) == .failure(.invalid("The token's key is not known.")))
        #expect(login.state.withLock { $0.fetches } == 1)
        login.state.withLock { $0.keys = [("a", first), ("b", second)] }
        #expect(await check(try token("b", second), after: 59_999) != .success(user))
        #expect(await check(try token("b", second), after: 60_000) == .success(user))
        #expect(await check(try token(nil, first, "u2"), after: 60_001) != .success(try Fixture.user("u2")))
        #expect(login.state.withLock { $0.fetches } == 2)
        login.state.withLock { $0.isDown = true }
        #expect(await check(try token("c", second), after: 120_000) == .failure(.keysUnavailable))
        #expect(await check(try token("b", second, "u3"), after: 120_001) == .success(try Fixture.user("u3")))
        #expect(login.state.withLock { $0.fetches } == 3)
        #expect(
            await check(
                Fixture.token(#"{"sub":"u1","exp":\#(exp)}"#, header: #"{"alg":"HS256","kid":"a"}"#), after: 120_002)
                == .failure(.invalid("The token is signed with another algorithm.")))
    }

    /// A token of `u1` for ten hours.
    private static func token(_ kid: String, _ key: P256.Signing.PrivateKey) throws -> String {
        let exp = Fixture.now.milliseconds / 1000 + 36_000
        return try BearerVerifierTests.sign(#"{"sub":"u1","exp":\#(exp)}"#, alg: "ES256", kid: kid) {
            try key.signature(for: $0).rawRepresentation
        }
    }

    private static func isAdmitted(
        _ token: String, by verifier: BearerVerifier, after milliseconds: Int64
    ) async -> Bool {
        do throws(BearerRefusal) {
            _ = try await verifier.user(authorization: "Bearer " + token, at: Fixture.now + milliseconds)
            return true
        } catch {
            return false
        }
    }

    @Test func `a remembered token whose key was withdrawn ends with the age of the keys`() async throws {
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let login = Login()
        login.state.withLock { $0.keys = [("a", first), ("b", second)] }
        let verifier = try await BearerVerifier(.remote(RemoteKeys { try login.document() }), policy: BearerPolicy())
        let (withdrawn, kept) = (try Self.token("a", first), try Self.token("b", second))
        for token in [withdrawn, kept] { #expect(await Self.isAdmitted(token, by: verifier, after: 0)) }
        login.state.withLock { $0.keys = [("b", second)] }
        #expect(await Self.isAdmitted(withdrawn, by: verifier, after: RemoteKeys.longestAge - 1))
        #expect(await !Self.isAdmitted(withdrawn, by: verifier, after: RemoteKeys.longestAge))
        #expect(await Self.isAdmitted(kept, by: verifier, after: RemoteKeys.longestAge))
        #expect(login.state.withLock { $0.fetches } == 2)
    }

    @Test func `once the keys came without one, no token of it counts, remembered or not`() async throws {
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let login = Login()
        login.state.withLock { $0.keys = [("a", first)] }
        let verifier = try await BearerVerifier(.remote(RemoteKeys { try login.document() }), policy: BearerPolicy())
        let withdrawn = try Self.token("a", first)
        #expect(await Self.isAdmitted(withdrawn, by: verifier, after: 0))
        login.state.withLock { $0.keys = [("b", second)] }
        #expect(await Self.isAdmitted(try Self.token("b", second), by: verifier, after: 60_000))
        #expect(await !Self.isAdmitted(withdrawn, by: verifier, after: 60_001))
    }

    @Test func `while the login is away its tokens count on, and it is asked every minute`() async throws {
        let key = P256.Signing.PrivateKey()
        let login = Login()
        login.state.withLock { $0.keys = [("a", key)] }
        let verifier = try await BearerVerifier(.remote(RemoteKeys { try login.document() }), policy: BearerPolicy())
        let token = try Self.token("a", key)
        #expect(await Self.isAdmitted(token, by: verifier, after: 0))
        login.state.withLock { $0.isDown = true }
        for milliseconds in [0, 1, 59_999, 60_000, 120_000] as [Int64] {
            #expect(await Self.isAdmitted(token, by: verifier, after: RemoteKeys.longestAge + milliseconds))
        }
        #expect(login.state.withLock { $0.fetches } == 4)
        login.state.withLock { $0 = ([("b", key)], false, 0) }
        #expect(await Self.isAdmitted(token, by: verifier, after: RemoteKeys.longestAge + 179_999))
        #expect(await !Self.isAdmitted(token, by: verifier, after: RemoteKeys.longestAge + 180_000))
    }

    @Test func `without any keys, they are asked for every second`() async throws {
        let key = P256.Signing.PrivateKey()
        let login = Login()
        login.state.withLock { $0 = ([("a", key)], true, 0) }
        let verifier = try await BearerVerifier(.remote(RemoteKeys { try login.document() }), policy: BearerPolicy())
        let exp = Fixture.now.milliseconds / 1000 + 36_000
        let token = try BearerVerifierTests.sign(#"{"sub":"u1","exp":\#(exp)}"#, alg: "ES256", kid: "a") {
            try key.signature(for: $0).rawRepresentation
        }
        func user(after milliseconds: Int64) async -> UserID? {
            // Lost: why the keys are not there.
            try? await verifier.user(authorization: "Bearer " + token, at: Fixture.now + milliseconds)
        }
        #expect(await user(after: 0) == nil)
        login.state.withLock { $0.isDown = false }
        #expect(await user(after: 999) == nil)
        #expect(await user(after: 1_000) == (try Fixture.user()))
        #expect(login.state.withLock { $0.fetches } == 2)
    }

    @Test func `without any keys, nobody is refused for good`() async throws {
        let verifier = try await BearerVerifier(
            .remote(RemoteKeys { throw Login.Down() }), policy: BearerPolicy())
        await #expect(throws: BearerRefusal.keysUnavailable) {
            try await verifier.user(authorization: "Bearer " + Fixture.token(of: "u1"), at: Fixture.now)
        }
    }
}
