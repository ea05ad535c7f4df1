import AppStore
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// A refund in the middle of a row of passes, over HTTP (`semantics.md` §2, vector V3e).
    @Suite struct Reversals {
        /// What covers, past and planned, as the purchases' names and days from `start`.
        private static func pieces(
            of status: EndToEndAnswer, _ names: [String: String], from start: Int64
        ) -> [String] {
            (0..<(status.count("segments") ?? 0)).map { place in
                let segment = "segments.\(place)."
                let days = ["starts_at_ms", "ends_at_ms"].map { ((status.integer(segment + $0) ?? 0) - start) / day }
                return "\(names[status.string(segment + "external_id") ?? ""] ?? "?") \(days[0])..\(days[1])"
            }
        }

        @Test func `the refund of the middle one of three holds against every older text, until the reversal`()
            async throws
        {
            let server = try await EndToEndServer.shared
            let user = "middle-" + newID()
            let start = now - 60 * day
            let passes = [0, 9, 19].map { EndToEndServer.pass(at: start + $0 * day) }
            let names = Dictionary(uniqueKeysWithValues: zip(passes.map(\.transactionId), ["p1", "p2", "p3"]))
            for pass in passes {
                #expect(try await server.attach(server.sign(pass), as: user).string("outcome") == "attached")
            }
            let told = { () async throws in
                Self.pieces(of: try await server.status(of: user, "?history=1"), names, from: start)
            }
            #expect(try await told() == ["p1 0..30", "p2 30..60", "p3 60..90"])
            let refund = passes[1].refunded(at: start + 35 * day)
            #expect(try await server.place(server.notification(.refund, about: refund)) == "applied")
            let refunded = ["p1 0..30", "p2 30..35", "p3 35..65"]
            #expect(try await told() == refunded)
            // From before the refund: the text that was attached, and one that the server never saw.
            for older in [passes[1], passes[1].signed(at: start + 20 * day)] {
                let jws = try server.sign(older)
                #expect(try await server.attach(jws, as: user).string("outcome") == "revoked")
                let restored = try await server.restore([SimulatedPayload.quoted(jws)], as: user)
                #expect(restored.string("results.0.outcome") == "revoked", "\(restored.text)")
                _ = try await server.place(server.notification(.oneTimeCharge, about: older))
                #expect(try await told() == refunded)
            }
            let reversal = try server.notification(.refundReversed, about: refund.reversed(at: start + 50 * day))
            #expect(try await server.place(reversal) == "applied")
            // Five of the thirty days of p2 ran before the refund, so twenty-five come back; p3 waits for them.
            let rest = ["p1 0..30", "p2 30..35", "p3 35..50", "p2 50..75", "p3 75..90"]
            #expect(try await told() == rest)
            #expect(try await server.place(reversal) == "duplicate")
            _ = try await server.place(server.notification(.refund, about: refund))
            #expect(try await told() == rest)
            #expect(try await server.status(of: user).integer("expires_at_ms") == start + 90 * day)
        }
    }
}
