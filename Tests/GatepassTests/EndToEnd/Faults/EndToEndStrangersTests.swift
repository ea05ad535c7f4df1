import Glibc
import NIOHTTP1
import StoreSimulator
import Support
import Testing

extension EndToEnd {
    /// What strangers may cost a server (`threats.md` T15, T37–T39).
    @Suite struct Strangers {
        private static let mebibyte = 1 << 20

        private static func server() async throws -> EndToEndServer {
            try await EndToEndServer.startWithCards(["GATEPASS_HTTP_TRUSTED_PROXIES": "127.0.0.1/32"])
        }

        private static func deliver(
            _ event: CardAccount.Event, to server: EndToEndServer, from network: String, forged: Bool = false
        ) async throws -> EndToEndAnswer {
            let secret = forged ? "whsec_wrong" : EndToEndServer.cardSecret
            return try await server.send(
                "POST", EndToEndServer.cardPath, Array(event.body.utf8),
                fields: [
                    ("Stripe-Signature", event.header(secret, at: now / 1_000)), ("X-Forwarded-For", network),
                ])
        }

        /// Connects, and sends a card event of 1 MiB but for its end; the socket, or -1.
        private static func stall(_ number: Int, at port: Int) -> Int32 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let connected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard connected == 0 else { return -1 }
            let head = """
                POST \(EndToEndServer.cardPath) HTTP/1.1\r\nHost: x\r\nContent-Length: \(mebibyte)\r\n\
                X-Forwarded-For: 198.51.100.\(number % 8)\r\n\
                Stripe-Signature: t=1,v1=\(String(repeating: "0", count: 64))\r\n\r\n
                """
            let bytes = Array(head.utf8) + Array(repeating: UInt8(ascii: "x"), count: mebibyte - 1)
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    send(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { break }
                sent += count
            }
            return descriptor
        }

        @Test func `stalled bodies of strangers fill no memory, hold up nobody who signed in, and it is given back`()
            async throws
        {
            let server = try await Self.server()
            let pass = Cards.pass(Cards.account(), "stalled-" + newID(), at: Cards.ago(1))
            #expect(try await Self.deliver(pass, to: server, from: "203.0.113.1").status == 200)
            let before = try #require(server.residentBytes)
            let port = server.port
            var sockets = try await blocking { (0..<300).map { Self.stall($0, at: port) } }
            // One more takes what those gave back that were refused.
            var full = try await Self.deliver(pass, to: server, from: "203.0.113.1")
            while full.status == 200, sockets.count < 1_000 {
                let number = sockets.count
                sockets.append(try await blocking { Self.stall(number, at: port) })
                full = try await Self.deliver(pass, to: server, from: "203.0.113.1")
            }
            let during = try #require(server.residentBytes)
            #expect(during - before < 200 * Self.mebibyte, "\((during - before) / Self.mebibyte) MiB")
            #expect(full.status == 503 && full.headers["retry-after"] == ["5"], "\(full.text)")
            #expect(full.string("code") == "unavailable")
            let attached = try await server.attach(
                try server.sign(EndToEndServer.pass(at: now - day)), as: "known-" + newID())
            #expect(attached.status == 200, "\(attached.text)")
            for descriptor in sockets where descriptor >= 0 { close(descriptor) }
            var left = during
            let start = ContinuousClock.now
            while left - before > 32 * Self.mebibyte, start.duration(to: .now) < .seconds(60) {
                try await Task.sleep(for: .milliseconds(250))
                left = server.residentBytes ?? left
            }
            print("resident: \(before / Self.mebibyte) → \(during / Self.mebibyte) → \(left / Self.mebibyte) MiB")
            #expect(left - before <= 32 * Self.mebibyte, "\((left - before) / Self.mebibyte) MiB")
            #expect(try await Self.deliver(pass, to: server, from: "203.0.113.1").status == 200)
            #expect(try await server.end() == 0)
        }

        @Test func `a network that forges is told to wait, another is not, and the log names it if it sends both`()
            async throws
        {
            let server = try await Self.server()
            let pass = Cards.pass(Cards.account(), "rated-" + newID(), at: Cards.ago(1))
            for _ in 0..<100 {
                #expect(try await Self.deliver(pass, to: server, from: "203.0.113.9").status == 200)
            }
            var statuses: [Int] = []
            while statuses.last != 429, statuses.count < 600 {
                statuses.append(
                    try await Self.deliver(pass, to: server, from: "203.0.113.9", forged: true).status)
            }
            #expect(statuses.count > 60 && statuses.dropLast().allSatisfy { $0 == 400 } && statuses.last == 429)
            #expect(try await Self.deliver(pass, to: server, from: "203.0.113.10").status == 200)
            let warnings = server.log.split(separator: "\n").filter { $0.contains("a network sends genuine") }
            #expect(warnings.count == 1 && warnings[0].contains("203.0.113.9"), "\(warnings)")
            #expect(try await server.end() == 0)
        }

        @Test func `a genuine card event with more names than anybody may send is kept, and a forged one is refused`()
            async throws
        {
            let server = try await EndToEndServer.withCards
            let shop = Cards.account()
            // Names are written into a text that the account signs as it stands.
            let told = Cards.pass(shop, "kept-" + newID(), at: Cards.ago(1))
            let many = (0..<1_025).map { #""n\#($0)":1,"# }.joined()
            let event = CardAccount.Event(id: told.id, body: "{" + many + told.body.dropFirst())
            #expect(try await server.place(event) == "ignored unreadable")
            #expect(try await server.deliver(event).string("result") == "duplicate")
            let forged = try await server.send(
                "POST", EndToEndServer.cardPath, Array(event.body.utf8),
                fields: [("Stripe-Signature", told.header(EndToEndServer.cardSecret, at: now / 1_000))])
            #expect(forged.status == 400 && forged.string("reason") == "signature_mismatch", "\(forged.text)")
        }
    }
}
