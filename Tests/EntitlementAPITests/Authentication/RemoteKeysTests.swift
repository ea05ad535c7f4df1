import Crypto
import Entitlements
import Support
import Synchronization
import Testing

@testable import EntitlementAPI

struct RemoteKeysTests {
    /// A login whose document can change, and whose server can fail and stall.
    private final class Login: Sendable {
        struct Down: Error {}
        let uptime = TestUptime()
        let state = Mutex((keys: [(String, P256.Signing.PrivateKey)](), isDown: false, fetches: 0))
        private let stall = Mutex<AsyncStream<Void>?>(nil)

        /// What is asked for from now on comes when the returned stream is finished.
        func stalling() -> AsyncStream<Void>.Continuation {
            let (stream, end) = AsyncStream.makeStream(of: Void.self)
            stall.withLock { $0 = stream }
            return end
        }

        /// Its keys, whose age is measured by its uptime.
        func remoteKeys() -> RemoteKeys {
            RemoteKeys(uptime: { self.uptime.now }, fetch: { try await self.document() })
        }

        func document() async throws -> [UInt8] {
            state.withLock { $0.fetches += 1 }
            if let stall = stall.withLock({ $0 }) {
                for await _ in stall {}
            }
            return try state.withLock { state in
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

    /// A token of `user` for 500 days.
    private static func token(_ kid: String?, _ key: P256.Signing.PrivateKey, of user: String = "u1") throws -> String {
        let exp = Fixture.now.milliseconds / 1000 + 500 * 86_400
        return try BearerVerifierTests.sign(#"{"sub":"\#(user)","exp":\#(exp)}"#, alg: "ES256", kid: kid) {
            try key.signature(for: $0).rawRepresentation
        }
    }

    private static func check(
        _ token: String, by verifier: BearerVerifier, at now: Instant = Fixture.now
    ) async -> Result<UserID, BearerRefusal> {
        do throws(BearerRefusal) {
            return .success(try await verifier.user(authorization: "Bearer " + token, at: now))
        } catch {
            return .failure(error)
        }
    }

    private static func isAdmitted(
        _ token: String, by verifier: BearerVerifier, at now: Instant = Fixture.now
    ) async -> Bool {
        if case .success = await check(token, by: verifier, at: now) { true } else { false }
    }

    @Test func `the keys of a document that can verify tokens are counted, and no document without one`() async throws {
        let login = Login()
        for count in 0...3 {
            let document = try await login.document()
            #expect(await RemoteKeys.usableKeys(in: document) == (count == 0 ? nil : count))
            login.state.withLock { $0.keys.append(("\(count)", P256.Signing.PrivateKey())) }
        }
        for text in ["", "{}", #"{"keys":[{"kty":"EC"}]}"#, "<html>"] {
            #expect(await RemoteKeys.usableKeys(in: Array(text.utf8)) == nil)
        }
    }

    @Test func `keys are fetched once, and again for unknown names at most once a minute`() async throws {
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let login = Login()
        login.state.withLock { $0.keys = [("a", first)] }
        let verifier = try await BearerVerifier(.remote(login.remoteKeys()), policy: BearerPolicy())
        func check(_ token: String, after milliseconds: Int64) async -> Result<UserID, BearerRefusal> {
            login.uptime.now = .milliseconds(milliseconds)
            return await Self.check(token, by: verifier)
        }
        let user = try Fixture.user()
        #expect(await check(try Self.token("a", first), after: 0) == .success(user))
        #expect(await check(try Self.token(nil, first), after: 1) == .success(user))
        let unknown = BearerRefusal.invalid("The token's key is not known.")
        #expect(await check(try Self.token("b", second), after: 2) == .failure(unknown))
        #expect(login.state.withLock { $0.fetches } == 1)
        login.state.withLock { $0.keys = [("a", first), ("b", second)] }
        #expect(await check(try Self.token("b", second), after: 59_999) == .failure(unknown))
        #expect(await check(try Self.token("b", second), after: 60_000) == .success(user))
        #expect(await check(try Self.token(nil, first, of: "u2"), after: 60_001) == .failure(unknown))
        #expect(login.state.withLock { $0.fetches } == 2)
        login.state.withLock { $0.isDown = true }
        #expect(await check(try Self.token("c", second), after: 120_000) == .failure(.keysUnavailable))
        let other = try Fixture.user("u3")
        #expect(await check(try Self.token("b", second, of: "u3"), after: 120_001) == .success(other))
        #expect(login.state.withLock { $0.fetches } == 3)
        let symmetric = Fixture.token(#"{"sub":"u1","exp":9999999999}"#, header: #"{"alg":"HS256","kid":"a"}"#)
        #expect(
            await check(symmetric, after: 120_002)
                == .failure(.invalid("The token is signed with another algorithm.")))
    }

    @Test func `a remembered token whose key was withdrawn ends with the age of the keys`() async throws {
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let login = Login()
        login.state.withLock { $0.keys = [("a", first), ("b", second)] }
        let verifier = try await BearerVerifier(.remote(login.remoteKeys()), policy: BearerPolicy())
        let (withdrawn, kept) = (try Self.token("a", first), try Self.token("b", second))
        for token in [withdrawn, kept] { #expect(await Self.isAdmitted(token, by: verifier)) }
        login.state.withLock { $0.keys = [("b", second)] }
        login.uptime.now = RemoteKeys.longestAge - .milliseconds(1)
        #expect(await Self.isAdmitted(withdrawn, by: verifier), "the keys are fetched behind it")
        login.uptime.now = RemoteKeys.longestAge
        #expect(await !Self.isAdmitted(withdrawn, by: verifier))
        #expect(await Self.isAdmitted(kept, by: verifier))
        #expect(login.state.withLock { $0.fetches } == 2)
    }

    @Test func `once the keys came without one, no token of it counts, remembered or not`() async throws {
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let login = Login()
        login.state.withLock { $0.keys = [("a", first)] }
        let verifier = try await BearerVerifier(.remote(login.remoteKeys()), policy: BearerPolicy())
        let withdrawn = try Self.token("a", first)
        #expect(await Self.isAdmitted(withdrawn, by: verifier))
        login.state.withLock { $0.keys = [("b", second)] }
        login.uptime.now = .seconds(60)
        #expect(await Self.isAdmitted(try Self.token("b", second), by: verifier))
        #expect(await !Self.isAdmitted(withdrawn, by: verifier))
    }

    @Test func `keys that came while the clock was ahead are as old as any others`() async throws {
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let login = Login()
        login.state.withLock { $0.keys = [("a", first)] }
        let verifier = try await BearerVerifier(.remote(login.remoteKeys()), policy: BearerPolicy())
        let withdrawn = try Self.token("a", first)
        #expect(await Self.isAdmitted(withdrawn, by: verifier, at: Fixture.now + 400 * Instant.millisecondsPerDay))
        login.state.withLock { $0.keys = [("b", second)] }
        #expect(await Self.isAdmitted(withdrawn, by: verifier))
        login.uptime.now = RemoteKeys.longestAge
        #expect(await !Self.isAdmitted(withdrawn, by: verifier))
        #expect(login.state.withLock { $0.fetches } == 2)
    }

    @Test func `while the login is away its tokens count on, and it is asked every minute`() async throws {
        let key = P256.Signing.PrivateKey()
        let login = Login()
        login.state.withLock { $0.keys = [("a", key)] }
        let keys = login.remoteKeys()
        let verifier = try await BearerVerifier(.remote(keys), policy: BearerPolicy())
        let token = try Self.token("a", key)
        #expect(await Self.isAdmitted(token, by: verifier))
        login.state.withLock { $0.isDown = true }
        for milliseconds in [0, 1, 59_999, 60_000, 120_000] as [Int64] {
            login.uptime.now = RemoteKeys.longestAge + .milliseconds(milliseconds)
            #expect(await Self.isAdmitted(token, by: verifier))
            // Waits for what is fetched behind the other.
            #expect(await keys.key(named: "none").isRefusal(.keysUnavailable))
        }
        #expect(login.state.withLock { $0.fetches } == 4)
        login.state.withLock { $0 = ([("b", key)], false, 0) }
        login.uptime.now = RemoteKeys.longestAge + .milliseconds(179_999)
        #expect(await Self.isAdmitted(token, by: verifier))
        #expect(login.state.withLock { $0.fetches } == 0)
        login.uptime.now = RemoteKeys.longestAge + .milliseconds(180_000)
        #expect(await Self.isAdmitted(token, by: verifier), "the keys are fetched behind it")
        #expect(await keys.key(named: "none").isRefusal(.invalid("The token's key is not known.")))
        #expect(await !Self.isAdmitted(token, by: verifier))
        #expect(login.state.withLock { $0.fetches } == 1)
    }

    @Test func `who asks when nobody asked for long waits for the login, also if it could not be reached then`()
        async throws
    {
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let login = Login()
        login.state.withLock { $0.keys = [("a", first)] }
        let keys = login.remoteKeys()
        let verifier = try await BearerVerifier(.remote(keys), policy: BearerPolicy())
        let withdrawn = try Self.token("a", first)
        #expect(await Self.isAdmitted(withdrawn, by: verifier))
        login.state.withLock { $0.isDown = true }
        login.uptime.now = .seconds(60)
        #expect(await keys.key(named: "none").isRefusal(.keysUnavailable))
        login.state.withLock { $0 = ([("b", second)], false, 0) }
        login.uptime.now += RemoteKeys.longestAge
        #expect(await !Self.isAdmitted(withdrawn, by: verifier))
        #expect(login.state.withLock { $0.fetches } == 1)
    }

    @Test(.timeLimit(.minutes(20)))
    func `while a fetch hangs nobody waits whose key is there, and of the others only so many`() async throws {
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let login = Login()
        login.state.withLock { $0.keys = [("a", first)] }
        let keys = login.remoteKeys()
        let verifier = try await BearerVerifier(.remote(keys), policy: BearerPolicy())
        #expect(await Self.isAdmitted(try Self.token("a", first), by: verifier))
        login.state.withLock { $0.keys = [("a", first), ("b", second)] }
        let stall = login.stalling()
        for age in [RemoteKeys.refreshAge, RemoteKeys.longestAge - .milliseconds(1)] {
            login.uptime.now = age
            for user in ["u1", "u2"] {
                #expect(await Self.isAdmitted(try Self.token("a", first, of: user), by: verifier))
            }
        }
        var (found, refused) = (0, 0)
        await withTaskGroup(of: Result<RemoteKeys.Found, BearerRefusal>.self) { group in
            for _ in 0..<RemoteKeys.maximumWaiting + 10 {
                group.addTask { await keys.key(named: "b") }
            }
            for await answer in group {
                if answer.isRefusal(.keysUnavailable) { refused += 1 }
                if case .success = answer { found += 1 }
                if refused == 10 { stall.finish() }
            }
        }
        #expect(found == RemoteKeys.maximumWaiting && refused == 10, "\(found) \(refused)")
        #expect(login.state.withLock { $0.fetches } == 2)
        #expect(await Self.isAdmitted(try Self.token("b", second), by: verifier))
    }

    @Test func `without any keys, they are asked for every second`() async throws {
        let key = P256.Signing.PrivateKey()
        let login = Login()
        login.state.withLock { $0 = ([("a", key)], true, 0) }
        let verifier = try await BearerVerifier(.remote(login.remoteKeys()), policy: BearerPolicy())
        let token = try Self.token("a", key)
        #expect(await !Self.isAdmitted(token, by: verifier))
        login.state.withLock { $0.isDown = false }
        login.uptime.now = .milliseconds(999)
        #expect(await !Self.isAdmitted(token, by: verifier))
        login.uptime.now = .milliseconds(1_000)
        #expect(await Self.isAdmitted(token, by: verifier))
        #expect(login.state.withLock { $0.fetches } == 2)
    }

    @Test func `without any keys, nobody is refused for good`() async throws {
        let login = Login()
        login.state.withLock { $0.isDown = true }
        let verifier = try await BearerVerifier(.remote(login.remoteKeys()), policy: BearerPolicy())
        await #expect(throws: BearerRefusal.keysUnavailable) {
            try await verifier.user(authorization: "Bearer " + Fixture.token(of: "u1"), at: Fixture.now)
        }
    }
}

extension Result<RemoteKeys.Found, BearerRefusal> {
    fileprivate func isRefusal(_ refusal: BearerRefusal) -> Bool {
        if case .failure(refusal) = self { true } else { false }
    }
}
