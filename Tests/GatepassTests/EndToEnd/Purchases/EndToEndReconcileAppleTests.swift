import AppStore
import Crypto
import Foundation
import MariaDB
import NIOHTTP1
import StoreSimulator
import StrictJSON
import Support
import Testing

extension EndToEnd {
    /// `gatepass reconcile apple` finds what no app sent and no notification brought.
    @Suite struct ReconcileApple {
        /// Everything that Apple knows, in the place of the App Store Server API.
        private struct Apple {
            let receiver: StoreReceiver
            private let keyFile: String

            /// - Parameters:
            ///   - accounts: The signed texts of each Apple account.
            ///   - names: The account of each transaction.
            ///   - notifications: The signed notifications.
            init(
                _ accounts: [String: [String]], naming names: [String: String], notifications: [String],
                in directory: String
            ) throws {
                receiver = try StoreReceiver { request, _ in
                    let path = request.line.split(separator: " ").last.map(String.init) ?? ""
                    let items = URLComponents(string: path)?.queryItems ?? []
                    guard !path.hasPrefix("/sandbox") else {
                        let empty = #"{"notificationHistory":[],"hasMore":false,"paginationToken":"0"}"#
                        return .init(200, empty)
                    }
                    if path.hasPrefix("/inApps/v1/notifications/history") {
                        let start = items.first { $0.name == "paginationToken" }?.value.flatMap { Int($0) } ?? 0
                        let page = notifications.dropFirst(start).prefix(20)
                        let texts = page.map { #"{"signedPayload":"\#($0)"}"# }.joined(separator: ",")
                        let end = start + page.count
                        return .init(
                            200,
                            #"{"notificationHistory":[\#(texts)],"hasMore":\#(end < notifications.count),"#
                                + #""paginationToken":"\#(end)"}"#)
                    }
                    let id = URLComponents(string: path)?.path.split(separator: "/").last.map(String.init) ?? ""
                    guard path.hasPrefix("/inApps/v2/history/"), let account = names[id] else {
                        return .init(404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
                    }
                    let texts = (accounts[account] ?? []).map { "\"\($0)\"" }.joined(separator: ",")
                    return .init(200, #"{"revision":"1","hasMore":false,"signedTransactions":[\#(texts)]}"#)
                }
                keyFile = directory + "/apple.p8"
                try EndToEndServer.write(P256.Signing.PrivateKey().pemRepresentation, to: keyFile)
            }

            var settings: [String: String] {
                let address = "http://127.0.0.1:\(receiver.port)"
                return [
                    "GATEPASS_APPLE_ISSUER_ID": "00000000-0000-0000-0000-000000000000",
                    "GATEPASS_APPLE_KEY_ID": "TEST", "GATEPASS_APPLE_PRIVATE_KEY_FILE": keyFile,
                    "GATEPASS_APPLE_API_BASE_URL": address, "GATEPASS_APPLE_SANDBOX_API_BASE_URL": address + "/sandbox",
                ]
            }

            /// The number of histories that were asked for.
            var histories: Int { receiver.requests.count { $0.line.contains("/inApps/v2/history/") } }
        }

        /// A report, as JSON.
        private static func report(_ text: String) -> EndToEndAnswer {
            let line = text.split(separator: "\n").last { $0.contains(#""missed":"#) } ?? ""
            return EndToEndAnswer(status: 0, headers: [:], body: Array(line.utf8))
        }

        /// What users of a shop bought, of which a twentieth each was never attached, never refunded here, or never
        /// told at all.
        private struct Shop {
            var accounts: [String: [String]] = [:]
            var names: [String: String] = [:]
            var notifications: [String] = []
            /// The state that each user has once everything is known, by the end of the access.
            var ends: [String: Int64?] = [:]
            var lost = (attaches: 0, refunds: 0, purchases: 0)
            /// What the oracle is told: everything that the App Store signed about each user, and who it is.
            private(set) var lines: [(user: String, text: String, isLost: Bool)] = []

            /// Notes a text for the oracle; `isLost` if this server was not told.
            private mutating func note(_ kind: String, _ text: String, of user: String, isLost: Bool = false) {
                let line = OracleQuestions.line(
                    (kind, SimulatedPayload.quoted(text)), ("user", SimulatedPayload.quoted(user)))
                lines.append((user, line, isLost))
            }

            init(_ users: Int, at backend: EndToEndBackend) async throws {
                let server = backend.server
                for number in 0..<users {
                    let (user, account) = ("buyer" + newID(), "7" + newID())
                    var first = EndToEndBackend.sale("pass.30", at: now - 20 * day)
                    var second = EndToEndBackend.sale("pass.30", at: now - 10 * day)
                    (first.appTransactionId, second.appTransactionId) = (account, account)
                    var listed = [first, second]
                    ends[user] = now - 20 * day + 60 * day
                    switch number % 20 {
                    case 3:
                        // The second purchase was neither attached nor told.
                        lost.attaches += 1
                        #expect(try await backend.attach(first, to: user).status == 200)
                        note("attach", try server.sign(first), of: user)
                        note("attach", try server.sign(second), of: user, isLost: true)
                    case 7:
                        // The only purchase names the user by its token; its notification did not come.
                        lost.purchases += 1
                        let token = try #require(try await server.accountToken(of: user))
                        first.appAccountToken = token
                        listed = [first]
                        note("token", token, of: user)
                        note("attach", try server.sign(first), of: user, isLost: true)
                        ends[user] = now - 20 * day + 30 * day
                        notifications.append(
                            try server.authority.sign(server.notification(.oneTimeCharge, about: first)).text)
                    case 11:
                        // Of the refund of the second purchase nobody told.
                        lost.refunds += 1
                        for sale in listed { #expect(try await backend.attach(sale, to: user).status == 200) }
                        for sale in listed { note("attach", try server.sign(sale), of: user) }
                        listed[1] = second.refunded(at: now - 9 * day, percentage: 100_000).signed(at: now - 9 * day)
                        note("attach", try server.sign(listed[1]), of: user, isLost: true)
                        ends[user] = .some(nil)
                    default:
                        for sale in listed {
                            #expect(try await backend.attach(sale, to: user).status == 200)
                            note("attach", try server.sign(sale), of: user)
                        }
                        guard number % 5 == 0 else { break }
                        let told = try server.notification(.oneTimeCharge, about: second)
                        #expect(try await server.place(told) != nil)
                        notifications.append(try server.authority.sign(told).text)
                    }
                    for sale in listed { names[sale.transactionId] = account }
                    accounts[account] = try listed.map { try server.sign($0) }
                }
            }
        }

        /// The users of whom the server says something else than the oracle, to which lost texts are told or not.
        private static func differing(
            _ shop: Shop, tellingLost: Bool, from server: EndToEndServer
        ) async throws -> Set<String> {
            let instants = [-15, -5, 0, 5, 25].map { now + $0 * day + 1 }
            let questions = shop.ends.keys.map { user in
                OracleQuestions.line(
                    ("ask", "\(instants)"), ("user", SimulatedPayload.quoted(user)))
            }
            let lines = shop.lines.filter { tellingLost || !$0.isLost }.map(\.text)
            let oracle = try await OracleQuestions(lines: lines + questions).answers(
                of: OracleShop.catalogueFile(of: server), in: server.directory)
            var differing: Set<String> = []
            for user in shop.ends.keys {
                for instant in instants {
                    let said = try await server.status(of: user, "?history=1&at=" + EndToEnd.rfc3339(instant))
                    let status = JSONValue(try StrictJSON(said.body))
                    let isPast = instant < now
                    let pictures = [status, try #require(oracle[user]?[instant]?.status)].map {
                        OracleQuestions.picture(of: $0, isPast: isPast)
                    }
                    if pictures[0] != pictures[1] { differing.insert(user) }
                }
            }
            return differing
        }

        @Test(arguments: [TestRun.isSoak ? 1_000 : 60])
        func `of what was lost of many users, everything is found, and an independent program agrees`(
            count: Int
        ) async throws {
            let backend = try await OracleShop.open()
            let server = backend.server
            var shop = try await Shop(count, at: backend)
            // One purchase is here and not at Apple.
            let (keeper, account) = ("keeper" + newID(), "7" + newID())
            var kept = EndToEndBackend.sale("pass.30", at: now - 50 * day)
            var other = EndToEndBackend.sale("basic.30", at: now - 50 * day)
            (kept.appTransactionId, other.appTransactionId) = (account, account)
            for sale in [kept, other] { #expect(try await backend.attach(sale, to: keeper).status == 200) }
            shop.accounts[account] = [try server.sign(other)]
            for sale in [kept, other] { shop.names[sale.transactionId] = account }
            let apple = try Apple(
                shop.accounts, naming: shop.names, notifications: shop.notifications, in: server.directory)
            defer { apple.receiver.stop() }

            let none = try await server.command(["reconcile", "apple"])
            #expect(none.status == 1 && none.text.contains("apple.key_id is not set"), "\(none.text)")
            let known = count - shop.lost.purchases + 1
            let dry = try await server.command(["reconcile", "apple", "--dry-run"], apple.settings)
            #expect(
                dry.status == 0 && dry.text.contains("\(known) users in Production by \(known) questions"),
                "\(dry.text)")
            #expect(apple.receiver.requests.isEmpty)

            let done = try await server.command(["reconcile", "apple", "--json"], apple.settings)
            let report = Self.report(done.text)
            #expect(done.status == 0, "\(done.text)")
            let lost = shop.lost
            #expect(report.integer("users") == Int64(count + 1), "\(done.text)")
            #expect(report.integer("notifications") == Int64(lost.purchases), "\(done.text)")
            #expect(report.integer("purchases") == Int64(lost.attaches), "\(done.text)")
            #expect(report.integer("statements") == Int64(lost.refunds), "\(done.text)")
            #expect(
                report.integer("missed") == Int64(lost.purchases + lost.attaches + lost.refunds), "\(done.text)")
            #expect(report.count("unlisted") == 1 && report.string("unlisted.0") == kept.transactionId, "\(done.text)")
            #expect(apple.histories == count + 1)
            for (user, end) in shop.ends {
                let status = try await server.status(of: user)
                if let end {
                    #expect(
                        status.integer("access_expires_at_ms").map { abs($0 - end) < day } == true, "\(status.text)")
                } else {
                    let entitlements = (0..<(status.count("entitlements") ?? 0)).compactMap {
                        status.string("entitlements.\($0).state")
                    }
                    #expect(entitlements.contains("revoked"), "\(status.text)")
                }
            }

            #expect(try await Self.differing(shop, tellingLost: true, from: server) == [])
            // A program that does not know what was lost must differ, else the comparison proves nothing.
            let ignorant = try await Self.differing(shop, tellingLost: false, from: server)
            #expect(ignorant == Set(shop.lines.filter(\.isLost).map(\.user)))

            let again = try await server.command(["reconcile", "apple"], apple.settings)
            #expect(again.status == 0 && again.text.contains("0 things were missed"), "\(again.text)")
            let listed = try await server.send(
                "GET", "/api/admin/reconciliations", fields: [("Authorization", "Bearer " + backend.secret)])
            #expect(listed.count("data") == 2 && listed.string("data.1.id") == report.string("id"), "\(listed.text)")
            #expect(listed.string("data.1.ended_at") != nil && listed.integer("data.0.missed") == 0)
            #expect(try await server.end() == 0)
        }

        @Test func `a run that was cut off goes on where it was, and one of a user asks about that user`() async throws
        {
            let backend = try await EndToEndBackend.open()
            let server = backend.server
            let shop = try await Shop(8, at: backend)
            let apple = try Apple(
                shop.accounts, naming: shop.names, notifications: shop.notifications, in: server.directory)
            defer { apple.receiver.stop() }
            let people = try await server.schema.rows("SELECT pseudonym, user_id FROM users ORDER BY pseudonym")
            try await server.schema.rows(
                """
                INSERT INTO reconciliations (begun_at, is_of_one_user, place, users, purchases, unlisted)
                VALUES (\(now), FALSE, ?, 5, 4, '[]')
                """, [people[4][0]])
            let done = try await server.command(["reconcile", "apple", "--json"], apple.settings)
            let report = Self.report(done.text)
            #expect(done.status == 0 && report.string("id") == "1", "\(done.text)")
            #expect(report.integer("users") == 7 && report.integer("purchases") == 4, "\(done.text)")
            #expect(apple.receiver.requests.count == 2, "the last two, and no notifications again")
            guard case .text(let first) = people[0][1] else { return }
            let one = try await server.command(["reconcile", "apple", "--user", first, "--json"], apple.settings)
            #expect(one.status == 0 && Self.report(one.text).string("id") == "2", "\(one.text)")
            #expect(Self.report(one.text).integer("users") == 1 && apple.receiver.requests.count == 3)
            let words = try await server.command(["reconcile", "apple", "--user", first], apple.settings)
            #expect(words.text.contains("1 user in Production by 1 question or more"), "\(words.text)")
            #expect(words.text.contains("1 user was asked about: 0 things were missed"), "\(words.text)")
            let missing = try await server.command(["reconcile", "apple", "--user", "nobody"], apple.settings)
            #expect(missing.status == 1, "\(missing.text)")
            #expect(missing.text.contains("nobody has no purchase of the App Store"), "\(missing.text)")
            let wrong = try await server.command(["reconcile", "apple", "--since", "yesterday"], apple.settings)
            #expect(wrong.status == 64 && wrong.text.contains("RFC 3339"), "\(wrong.text)")
            #expect(try await server.end() == 0)
        }

        @Test func `a key that Apple accepts nowhere ends the run, which says so`() async throws {
            let apple = try EndToEndApple { _ in .init(401, "") }
            defer { apple.close() }
            let backend = try await EndToEndBackend.open(apple.settings)
            let done = try await backend.server.command(["reconcile", "apple"])
            #expect(
                done.status == 1 && done.text.contains("it answers for com.airport.vpn in no environment"),
                "\(done.text)")
            #expect(apple.requests.count == 2, "each environment is asked once")
            #expect(try await backend.server.end() == 0)
        }

        @Test func `the simulated App Store makes faults, and what they lost is found`() async throws {
            let installation = try await DevelopmentInstallation.open()
            defer { installation.close() }
            func faults(_ body: String) async throws -> Int {
                try await installation.send(.POST, "/dev/apple/faults", Data(body.utf8), as: "anna").status
            }
            for wrong in ["[]", #"{"status":200}"#, #"{"times":0}"#, #"{"wrong_jws":"yes"}"#] {
                #expect(try await faults(wrong) == 400, "\(wrong)")
            }
            for story in ["purchase", "lose"] {
                #expect(try await installation.simulate([story, "--user", "anna"]).status == 0, "\(story)")
            }
            #expect(try await faults(#"{"status":429,"retry_after_ms":2000,"times":1}"#) == 200)
            let paused = try await installation.simulate(["restore", "--user", "anna", "--json"])
            #expect(paused.string("history") == "unavailable", "\(paused.text)")
            let pauses = "SELECT COUNT(*) FROM apple_pauses WHERE paused_until > 0"
            #expect(try await installation.schema.number(pauses) == 1, "all instances wait")
            #expect(try await faults(#"{"lose_notifications":true,"delay_ms":1}"#) == 200)
            let lost = try await installation.simulate(["purchase", "--user", "ben", "--by-notification"])
            #expect(lost.status == 0 && lost.text.contains("lost"), "\(lost.text)")
            #expect(try await faults("{}") == 200)
            let done = try await installation.run(["reconcile", "apple", "--json"])
            let report = Self.report(done.text)
            #expect(done.status == 0 && report.integer("notifications") == 1, "\(done.text)")
            let bought = try await installation.send(.GET, "/api/iap/purchases", as: "ben")
            #expect(bought.count("data") == 1, "\(bought.text)")
            #expect(try await faults(#"{"wrong_jws":true}"#) == 200)
            for story in ["purchase", "lose"] {
                #expect(try await installation.simulate([story, "--user", "cleo"]).status == 0, "\(story)")
            }
            let wrong = try await installation.simulate(["restore", "--user", "cleo", "--json"])
            #expect(wrong.string("history") == "complete" && wrong.integer("summary.recovered") == 0, "\(wrong.text)")
            #expect(installation.server.log.contains("not genuine"))
        }
    }
}
