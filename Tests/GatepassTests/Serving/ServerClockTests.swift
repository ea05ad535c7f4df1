import Entitlements
import MariaDB
import StoreSimulator
import Support
import Testing

@testable import Gatepass

extension EndToEnd {
    /// What a server sells, and what a store signed, is judged by the clock that it is handed; who signs in, in real
    /// time.
    @Suite struct Clocks {
        private static let ahead = 90 * day
        private static let clock = WallClock { Surroundings.now() + ahead }

        @Test func `months ahead a pass bought now has ended, and the sign-in made now is accepted`() async throws {
            try await ServerHere.serving(clock: Self.clock) { server in
                let user = "ahead" + newID()
                let boughtAt = now - 1_000
                let pass = EndToEndServer.pass(at: boughtAt)
                let attached = try await server.attach(try server.sign(pass), as: user)
                #expect(attached.status == 200, "\(attached.text)")
                #expect(attached.string("outcome") == "attached")
                #expect(attached.string("reason") == "ended_before_attached")
                let status = try await server.status(of: user)
                #expect(status.string("state") == "expired" && status.string("tier") == "free", "\(status.text)")
                #expect(status.integer("expires_at_ms") == boughtAt + 30 * day)
                let recorded = try await server.schema.number("SELECT MIN(recorded_at) FROM ledger_entries")
                #expect(recorded >= boughtAt + Self.ahead)
                let expired = try await server.send(
                    "GET", EndToEndServer.statusPath,
                    fields: [("Authorization", "Bearer " + EndToEndServer.token(of: user, expiresIn: -61))])
                #expect(expired.status == 401)
            }
        }

        @Test func `months ahead a text that is dated later than the clock is refused`() async throws {
            try await ServerHere.serving(clock: Self.clock) { server in
                let soon = EndToEndServer.pass(at: now + Self.ahead - day)
                let attached = try await server.attach(try server.sign(soon), as: "ahead" + newID())
                #expect(attached.string("outcome") == "attached", "\(attached.text)")
                let pass = EndToEndServer.pass(at: now + Self.ahead + day)
                let refused = try await server.attach(try server.sign(pass), as: "ahead" + newID())
                #expect(refused.status == 422, "\(refused.text)")
                #expect(refused.string("reason") == "signed_date_out_of_range")
            }
        }
    }
}
