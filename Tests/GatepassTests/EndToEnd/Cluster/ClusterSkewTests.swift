import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd.Cluster {
    /// Two acts that rest on the same rows, on two nodes at once.
    @Suite struct Skew {
        @Test func `what was attached on one node is there on the other`() async throws {
            let pair = try await ClusterPair.open()
            let pass = EndToEndBackend.sale("pass.30", at: EndToEnd.now - EndToEnd.day)
            #expect(try await pair.first.attach(pass, to: "traveller").string("outcome") == "attached")
            try await pair.catchUp()
            #expect(try await pair.second.server.status(of: "traveller")["active"]?.flag == true)
            try await pair.end()
        }
    }
}
