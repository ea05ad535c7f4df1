import Support
import Testing

extension EndToEnd {
    /// A login whose answer stalls holds up nobody whose key it gave before, and is asked again (`threats.md` F20).
    @Suite struct LoginFaults {
        private static let stalling = StoreReceiver.Pace.allCases.filter { $0 != .whole }

        @Test func `while the login stalls users of its keys sign in at once, and a new key counts when it is well`()
            async throws
        {
            let login = try JWKSLogin()
            defer { login.stop() }
            let uptime = TestUptime()
            try await ServerHere.serving(login.settings, uptime: { uptime.now }) { server in
                #expect(try await login.signIn("known", at: server).status == 200)
                for (place, pace) in Self.stalling.enumerated() {
                    login.publish(["a", "b"], at: pace)
                    uptime.now += .seconds(600)
                    let (statuses, answered) = AsyncStream.makeStream(of: Int.self)
                    async let unknown: Void = {
                        answered.yield(try await login.signIn("new", by: "b", at: server).status)
                    }()
                    while login.asked < place + 2 { try await Task.sleep(for: .milliseconds(1)) }
                    for number in 0..<12 {
                        answered.yield(try await login.signIn("\(pace)-\(number)", at: server).status)
                    }
                    answered.yield(try await login.signIn("known", at: server).status)
                    try await unknown
                    answered.finish()
                    let order = await statuses.reduce(into: []) { $0.append($1) }
                    #expect(order == Array(repeating: 200, count: 13) + [503], "\(pace): \(order)")
                    #expect(login.asked == place + 2, "\(pace)")
                }
                login.publish(["a", "b"])
                uptime.now += .seconds(60)
                #expect(try await login.signIn("new", by: "b", at: server).status == 200)
                #expect(try await login.signIn("known", at: server).status == 200)
                #expect(login.asked == Self.stalling.count + 2)
            }
        }

        @Test func `a login that stalls in its first answer is given up, and the next one counts`() async throws {
            let login = try JWKSLogin()
            defer { login.stop() }
            login.publish(["a"], at: .half)
            let server = try await EndToEndServer.start(login.settings)
            let refused = try await login.signIn("first", at: server)
            #expect(refused.status == 503 && refused.string("code") == "unavailable", "\(refused.text)")
            #expect(login.asked == 1)
            login.publish(["a"])
            #expect(try await login.signIn("first", at: server).status == 200)
            #expect(login.asked == 2)
            #expect(try await server.end() == 0)
        }
    }
}
