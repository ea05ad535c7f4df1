import AppStore
import MariaDB
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// What must never be accepted, never be a fault of the server, and never leave a trace (`threats.md` T1–T14, T26).
    @Suite struct Hostile {
        @Test func `every hostile text is refused for its one defect and leaves no row`() async throws {
            let server = try await EndToEndServer.shared
            // Minted for two minutes from now, so that what lies just too far ahead still does when it is posted; for a
            // whole second, because certificates count in seconds.
            let vectors = try HostileVectors.all(server.authority, now: now / 1_000 * 1_000 + 120_000)
            let before = try await server.schema.counts()
            let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
                var waiting = vectors[...]
                for _ in 0..<8 {
                    if let vector = waiting.popFirst() { group.addTask { try await isRefused(vector, by: server) } }
                }
                var refused = 0
                while let isRefused = try await group.next() {
                    refused += isRefused ? 1 : 0
                    if let vector = waiting.popFirst() {
                        group.addTask { try await self.isRefused(vector, by: server) }
                    }
                }
                return refused
            }
            #expect(vectors.count >= 600)
            #expect(refused == vectors.count)
            #expect(try await server.schema.counts() == before)
            // What the vectors are one change away from is accepted.
            for (name, jws) in try HostileVectors.accepted(server.authority, now: now - 400_000) {
                let answer = try await server.attach(jws, as: "honest")
                #expect([200, 409].contains(answer.status), "\(name)")
            }
            #expect(try await server.schema.counts() != before)
        }

        private func isRefused(_ vector: HostileVector, by server: EndToEndServer) async throws -> Bool {
            let answer = try await server.attach(vector.jws, as: "attacker")
            let expected = EvidenceError(vector.expected, "")
            let isRight =
                answer.status == 422 && answer.string("code") == expected.code
                && answer.string("reason") == (expected.code == "evidence_invalid" ? vector.expected.rawValue : nil)
            #expect(isRight, "\(vector.family): \(vector.name): \(answer.status) \(answer.text)")
            return isRight
        }

        @Test func `a body that can be read in two ways is read in none`() async throws {
            let server = try await EndToEndServer.shared
            let jws = try SimulatedPayload.quoted(server.sign(EndToEndServer.pass(at: now - day)))
            let (name, plain) = ("\"signedTransactionJWS\"", "{\"signedTransactionJWS\":\(jws)}")
            let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
            let texts = [
                "{\(name):\(jws),\(name):\(jws)}", "{\(name):\"x\",\(name):\(jws)}", "{\(name):null,\(name):\(jws)}",
                "{\(name):\(jws),\"signedTransactionJW\\u0053\":\(jws)}", "{\"a\":1,\"\\u0061\":2,\(name):\(jws)}",
                "{\(name):\(jws),}", "{\(name):\(jws)}}", "{\(name):\(jws)},", "{,\(name):\(jws)}", "{\(name):\(jws)",
                "{\(name) \(jws)}", "{\(name)=\(jws)}", "{signedTransactionJWS:\(jws)}",
                "{'signedTransactionJWS':\(jws)}",
                "\u{FEFF}\(plain)", "\u{0}\(plain)", "\(plain)\u{0}", "/* */\(plain)", "\(plain)//", "\u{A0}\(plain)",
                "\u{C}\(plain)", "{\(name):\(jws),\"n\":NaN}", "{\(name):\(jws),\"n\":Infinity}",
                "{\(name):\(jws),\"n\":01}", "{\(name):\(jws),\"n\":+1}", "{\(name):\(jws),\"n\":.5}",
                "{\(name):\(jws),\"n\":1.}", "{\(name):\(jws),\"n\":0x10}", "{\(name):\(jws),\"n\":1e}",
                "{\(name):\(jws),\"s\":\"\\ud800\"}", "{\(name):\(jws),\"s\":\"\\udc00\\ud800\"}",
                "{\(name):\(jws),\"s\":\"\\x41\"}", "{\(name):\(jws),\"s\":\"a\nb\"}", "{\(name):\(jws),\"s\":\"\t\"}",
                "{\(name):\(jws),\"s\":\"\\u00g0\"}", "{\(name):\(jws),\"s\":True}", "{\(name):\(jws),\"s\":nul}",
                "{\(name):\(jws),\"d\":\(deep)}", "{\(name):\(jws)}\(plain)", "[\(plain)]", "\(jws)", "null", "", " ",
                "{\(name):[\(jws)]}", "{\(name):{\"x\":\(jws)}}", "{\(name):1}", "{\(name):null}", "{\(name):true}",
                "{}",
                "{\"SIGNEDTRANSACTIONJWS\":\(jws)}", "{\"signedTransactionJWS \":\(jws)}",
                "{\"signedTransactionJWS\\u0000\":\(jws)}", "{\"payload\":\(plain)}",
                "{\(name):\(jws),\"signedAppTransaction\":7}",
            ]
            var bodies = texts.map { Array($0.utf8) }
            bodies.append(plain.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
            bodies.append([0xff, 0xfe] + plain.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
            bodies.append(plain.unicodeScalars.flatMap { [0, 0, UInt8($0.value >> 8), UInt8($0.value & 0xff)] })
            for bad: [UInt8] in [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]] {
                bodies.append(Array("{\(name):\(jws),\"s\":\"".utf8) + bad + Array("\"}".utf8))
            }
            // A restore in which nothing is genuine notes the user all the same.
            #expect(try await server.restore(["\"1\""], as: "twofold").status == 200)
            let before = try await server.schema.counts()
            for body in bodies {
                let answer = try await server.send("POST", EndToEndServer.attachPath, body, as: "twofold")
                #expect(answer.status == 400, "\(String(decoding: body.prefix(40), as: UTF8.self))…")
                #expect(answer.string("code") == "invalid_request")
                let restored = try await server.send("POST", EndToEndServer.restorePath, body, as: "twofold")
                #expect((400..<500).contains(restored.status) || restored.integer("summary.attached") == 0)
            }
            #expect(bodies.count > 60)
            #expect(try await server.schema.counts() == before)
            #expect(try await server.attach(String(jws.dropFirst().dropLast()), as: "twofold").status == 200)
        }

        @Test func `sizes, types and methods are judged before anything is read`() async throws {
            let server = try await EndToEndServer.shared
            let jws = try server.sign(EndToEndServer.pass(at: now - day))
            let plain = Array("{\"signedTransactionJWS\":\(SimulatedPayload.quoted(jws))}".utf8)
            let path = EndToEndServer.attachPath
            let blanks = [UInt8](repeating: UInt8(ascii: " "), count: 64 << 10)
            #expect(try await server.send("POST", path, blanks + plain, as: "sizer").status == 413)
            #expect(try await server.send("POST", path, blanks + plain).status == 413)
            #expect(try await server.attach(String(repeating: "a", count: 16_385), as: "sizer").status == 413)
            for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "*/*"] {
                let answer = try await server.send("POST", path, plain, as: "sizer", fields: [("Content-Type", type)])
                #expect(answer.status == 415, "\(type)")
            }
            let zipped = try await server.send(
                "POST", path, plain, as: "sizer",
                fields: [("Content-Type", "application/json"), ("Content-Encoding", "br")])
            #expect(zipped.status == 415)
            for method in ["GET", "PUT", "DELETE", "PATCH"] {
                let answer = try await server.send(method, path, as: "sizer")
                #expect(answer.status == 405, "\(method)")
                #expect(answer.headers["Allow"] == ["POST, OPTIONS"])
            }
            #expect(try await server.send("POST", path, plain).status == 401)
            let expired = EndToEndServer.token(of: "sizer", expiresIn: -120)
            for token in [expired, "x", "", expired + ".", "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzaXplciJ9."] {
                let answer = try await server.send(
                    "POST", path, plain, fields: [("Authorization", "Bearer " + token)])
                #expect(answer.status == 401, "\(token)")
                #expect(answer.headers.contains(name: "WWW-Authenticate"))
            }
            #expect(try await server.status(of: "sizer").string("state") == "none")
        }

        static let injections = [
            "' OR '1'='1", "'; DROP TABLE users; --", "\" OR \"\"=\"", "1 UNION SELECT * FROM users", "admin'--",
            "\\'; DELETE FROM purchases; --", "%27%20OR%201=1", "'||(SELECT SLEEP(5))||'", "0x27", "a%00b", "\u{0}",
            "%", "_", "com.airport.vpn.pass.30d ", "COM.AIRPORT.VPN.PASS.30D", "pässe", "通行证", "\u{202E}", "😀",
            "{\"$gt\":\"\"}", "[1,2]", "\\", "\"", "`", "/*!50000 SELECT*/", "${jndi:ldap://x}", "../../etc/passwd",
            String(repeating: "a", count: 256), String(repeating: "'", count: 300),
        ]

        @Test func `what looks like SQL is text in every field`() async throws {
            let server = try await EndToEndServer.shared
            let purchases = try await server.schema.number("SELECT COUNT(*) FROM purchases")
            var sent = 0
            var statuses: [Int: Int] = [:]
            func note(_ answer: EndToEndAnswer, _ what: String) {
                sent += 1
                statuses[answer.status, default: 0] += 1
                #expect(answer.status < 500, "\(what): \(answer.text)")
            }
            for text in Self.injections {
                let escaped = text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                note(try await server.status(of: text), "subject \(text)")
                for name in ["at", "known_at", "history", "explain"] {
                    note(try await server.status(of: "sql", "?\(name)=\(escaped)"), "\(name) \(text)")
                }
                note(try await server.send("GET", "/api/iap/purchases?cursor=\(escaped)", as: "sql"), "cursor \(text)")
                note(try await server.send("GET", "/api/iap/purchases?limit=\(escaped)", as: "sql"), "limit \(text)")
                note(try await server.send("GET", "/api/iap/apple/products?bundle_id=\(escaped)"), "bundle \(text)")
                note(
                    try await server.send("GET", "/api/billing/subscriptions/check/\(escaped)", as: "sql"),
                    "path \(text)")
                note(try await server.attach(text, as: "sql"), "jws \(text)")
                if text.utf8.allSatisfy({ 0x20...0x7e ~= $0 }) {
                    for name in ["X-Request-Id", "Accept-Language", "If-None-Match", "Cookie", "X-Forwarded-For"] {
                        note(try await server.send("GET", "/api/iap/apple/products", fields: [(name, text)]), name)
                    }
                }
            }
            #expect(sent > 300)
            #expect(statuses[400] ?? 0 > 50 && statuses[403] ?? 0 > 20 && statuses[401] == nil)
            #expect(try await server.schema.number("SELECT COUNT(*) FROM purchases") == purchases)
            #expect(try await server.schema.rows("SHOW TABLES").count == TestSchema.tables.count + 1)
        }

        @Test func `what looks like SQL under Apple's own signature is kept as it is or refused`() async throws {
            let server = try await EndToEndServer.shared
            let names = [
                "transactionId", "originalTransactionId", "webOrderLineItemId", "productId", "type",
                "subscriptionGroupIdentifier", "appAccountToken", "inAppOwnershipType", "appTransactionId",
                "storefront",
                "offerIdentifier", "transactionReason", "currency", "revocationType",
            ]
            var outcomes: [Int: Int] = [:]
            for (number, text) in Self.injections.enumerated() {
                for name in names {
                    var payload = EndToEndServer.pass(at: now - day).payload
                    // Ids differ between the cases, or the same purchase would be posted again and again.
                    let value = name.hasSuffix("ransactionId") ? text + "\(number)" : text
                    payload[name] = .string(value)
                    let jws = try server.authority.sign(payload)
                    let answer = try await server.attach(jws, as: "sql-\(name)-\(number)")
                    outcomes[answer.status, default: 0] += 1
                    #expect(answer.status == 200 || answer.status == 422, "\(name) \(text): \(answer.text)")
                    guard answer.status == 200, name == "productId" || name == "transactionId" else { continue }
                    let column = name == "productId" ? "product_id" : "transaction_id"
                    let kept = try await server.schema.number(
                        "SELECT COUNT(*) FROM apple_iap_transactions WHERE \(column) = ?", [.text(value)])
                    #expect(kept == 1, "\(name) \(text)")
                }
            }
            #expect(outcomes[200] ?? 0 > 50 && outcomes[422] ?? 0 > 50)
            // A name that differs by case or by a blank at its end is another product.
            let expected = try await server.status(of: "sql-productId-14")
            #expect(expected["entitlements.0.product_id"]?.isNull == true)
            #expect(expected.string("entitlements.0.store_product_id") == "COM.AIRPORT.VPN.PASS.30D")
            #expect(expected.string("entitlements.0.state") == "recorded")
        }

        @Test func `whatever stands in a member that decides nothing, the purchase is recorded`() async throws {
            let server = try await EndToEndServer.shared
            let (widest, most) = (String(repeating: "~", count: 255), Int64.max)
            let values: [(SimulatedPayload.Value, [String])] = [
                (
                    .string(widest),
                    ["storefront", "currency", "transactionReason", "offerDiscountType", "offerIdentifier"]
                ),
                (
                    .string(String(repeating: "é", count: 300)),
                    ["storefront", "currency", "offerIdentifier", "offerPeriod"]
                ),
                (.integer(most), ["offerType", "revocationReason", "price"]),
                (.integer(-most), ["offerType", "revocationReason", "price"]),
            ]
            for (value, names) in values {
                for name in names {
                    var payload = EndToEndServer.pass(at: now - day).payload
                    payload[name] = value
                    let answer = try await server.attach(server.authority.sign(payload), as: "widest")
                    #expect(answer.status == 200, "\(name): \(answer.text)")
                }
            }
            #expect(try await server.command(["audit", "verify"]).status == 0)
        }

        @Test func `members that nobody asked for change nothing`() async throws {
            let server = try await EndToEndServer.shared
            let jws = try server.sign(EndToEndServer.pass(of: "com.airport.vpn.basic.30d", at: now - day))
            let body = """
                {"signedTransactionJWS":\(SimulatedPayload.quoted(jws)),"tier":"pro","user_id":"victim",
                "expires_at":"2099-01-01T00:00:00Z","environment":"Production","productId":"com.airport.vpn.pass.30d",
                "quantity":10,"is_admin":true,"share":0,"status":{"tier":"pro"}}
                """
            let answer = try await server.send("POST", EndToEndServer.attachPath, Array(body.utf8), as: "assigner")
            #expect(answer.status == 200)
            #expect(answer.string("status.tier") == "basic")
            #expect(answer.string("status.user_id") == "assigner")
            #expect(answer.string("transaction.environment") == "Sandbox")
            #expect(try await server.status(of: "victim").string("state") == "none")
        }
    }
}
