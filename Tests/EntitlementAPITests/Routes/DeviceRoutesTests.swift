import AppStore
import Entitlements
import LedgerStore
import NIOHTTP1
import StrictJSON
import Synchronization
import Testing

@testable import EntitlementAPI

struct DeviceRoutesTests {
    private static let devices = "/api/devices"

    private static func register(_ id: String, _ server: TestServer) async throws -> TestServer.Answer {
        try await server.send("POST", devices, #"{"device_id":"\#(id)"}"#)
    }

    private static func states(_ server: TestServer) async throws -> [String] {
        let devices = try await server.send("GET", Self.devices).json["data"]?.elements ?? []
        return devices.map { device in
            [device["device_id"]?.string, device["state"]?.string, device["suspended_by"]?.string]
                .compactMap(\.self).joined(separator: " ")
        }
    }

    @Test func `a device is registered once`() async throws {
        try await TestServer.run { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            let first = try await server.send(
                "POST", Self.devices, #"{"device_id":"a/b","name":"Ann's phone","pinned":true}"#)
            #expect(first.status == 201)
            #expect(
                first.body
                    == #"{"device_id":"a/b","name":"Ann's phone","pinned":true,"state":"active","suspended_by":null,"#
                    + #""registered_at":"2026-01-15T12:00:00Z","registered_at_ms":1768478400000,"#
                    + #""last_seen_at":"2026-01-15T12:00:00Z","last_seen_at_ms":1768478400000}"#)
            let again = try await Self.register("a/b", server)
            #expect(again.status == 200 && again.body == first.body)
            let renamed = try await server.send(
                "POST", Self.devices, #"{"device_id":"a/b","name":"Bo's","pinned":null}"#)
            #expect(renamed.status == 200)
            #expect(try renamed.json["name"]?.string == "Bo's" && renamed.json["pinned"]?.flag == true)
            let all = try await server.send("GET", Self.devices)
            #expect(all.body == #"{"data":[\#(renamed.body)],"next_cursor":null}"#)
            #expect(all.headers.first(name: "cache-control") == "private, no-cache")
            let license = try await server.send("GET", "/api/devices/license/status")
            #expect(license.body == #"{"allowed":5,"active":1,"suspended":0}"#)
        }
    }

    @Test func `devices are told as they were and with what happened to them`() async throws {
        try await TestServer.run { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            _ = try await Self.register("d1", server)
            server.wait(hours: 1)
            _ = try await server.send("POST", "/api/devices/d1/suspend")
            _ = try await Self.register("d2", server)
            func told(_ query: String) async throws -> [JSONValue] {
                try await server.send("GET", Self.devices + query).json["data"]?.elements ?? []
            }
            #expect(try await told("").map { $0["device_id"]?.string } == ["d2", "d1"])
            let earlier = try await told("?at=2026-01-15T12:30:00Z")
            #expect(earlier.map { $0["state"]?.string } == ["active"])
            #expect(try await told("?known_at=2026-01-15T12:30:00Z").map { $0["state"]?.string } == ["active"])
            #expect(earlier.first?["acts"] == nil)
            let plain = try await server.send("GET", Self.devices).json
            #expect(plain["explained_under"] == nil)
            let explained = try await told("?explain=1")
            let acts = explained.map { $0["acts"]?.elements?.map { $0["text"]?.string } }
            #expect(
                acts == [
                    ["Device d2 was registered."],
                    ["Device d1 was suspended by the user.", "Device d1 was registered."],
                ])
            #expect(explained.last?["acts"]?.elements?.last?["device_id"]?.string == "d1")
        }
    }

    @Test func `a seat is given back and taken`() async throws {
        try await TestServer.run { server in
            let none = try await Self.register("d1", server)
            #expect(none.code == "seat_limit_reached")
            #expect(try none.json["detail"]?.string == "Nothing that the user has gives a device seat now.")
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            for number in 1...5 { #expect(try await Self.register("d\(number)", server).status == 201) }
            let refused = try await Self.register("d6", server)
            #expect(refused.status == 409 && refused.code == "seat_limit_reached")
            #expect(try refused.json["allowed"]?.integer == "5" && refused.json["active"]?.integer == "5")
            let suspended = try await server.send("POST", "/api/devices/d1/suspend")
            #expect(suspended.status == 200)
            #expect(try suspended.json["state"]?.string == "suspended")
            #expect(try suspended.json["suspended_by"]?.string == "user")
            #expect(try await server.send("POST", "/api/devices/d1/suspend").body == suspended.body)
            #expect(try await Self.register("d6", server).status == 201)
            try await server.expectRefusal(409, "seat_limit_reached", "POST", "/api/devices/d1/reactivate")
            let removed = try await server.send("DELETE", "/api/devices/d6")
            #expect(removed.status == 204 && removed.body.isEmpty)
            #expect(removed.headers.first(name: "content-type") == nil)
            #expect(try await server.send("DELETE", "/api/devices/d6").status == 204)
            let active = try await server.send("POST", "/api/devices/d1/reactivate")
            #expect(try active.json["state"]?.string == "active")
            #expect(try await server.send("POST", "/api/devices/d1/reactivate").body == active.body)
            let status = try await server.send("GET", "/api/iap/apple/status").json
            #expect(status["devices"]?["active"]?.integer == "5")
        }
    }

    @Test func `the limit suspends after the grace, and the cached status knows`() async throws {
        try await TestServer.run { server in
            try await server.grant(.until(Fixture.now + 3_600_000, of: TierID("pro")), as: "g1")
            #expect(try await Self.register("d1", server).status == 201)
            func seats() async throws -> [String?] {
                let status = try await server.send("GET", "/api/iap/apple/status").json["devices"]
                return [status?["allowed"]?.integer, status?["active"]?.integer, status?["suspended"]?.integer]
            }
            #expect(try await seats() == ["5", "1", "0"])
            server.wait(hours: 2)
            #expect(try await seats() == ["0", "1", "0"])
            #expect(try await Self.states(server) == ["d1 active"])
            server.wait(hours: 24)
            #expect(try await seats() == ["0", "0", "1"])
            #expect(try await Self.states(server) == ["d1 suspended limit"])
            try await server.grant(.addDays(1, of: TierID("pro")), as: "g2")
            #expect(try await seats() == ["5", "1", "0"])
        }
    }

    @Test func `being seen moves the instant`() async throws {
        try await TestServer.run { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            #expect(try await Self.register("d1", server).status == 201)
            for (hours, instant) in [(3, "2026-01-15T12:00:00Z"), (21, "2026-01-16T12:00:00Z")] as [(Int64, String)] {
                server.wait(hours: hours)
                let seen = try await server.send("POST", "/api/devices/d1/seen")
                #expect(try seen.status == 200 && seen.json["last_seen_at"]?.string == instant)
            }
        }
    }

    @Test func `another user's device is like one that does not exist`() async throws {
        try await TestServer.run { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            #expect(try await Self.register("d1", server).status == 201)
            let stranger = Fixture.token(of: "u2")
            for (method, act) in [
                ("POST", "/reactivate"), ("POST", "/suspend"), ("POST", "/seen"), ("DELETE", ""),
            ] {
                let theirs = try await server.send(method, "/api/devices/d1" + act, token: stranger)
                let none = try await server.send(method, "/api/devices/nothing" + act, token: stranger)
                #expect(theirs.status == 404 && theirs.code == "unknown_device" && theirs.body == none.body)
                #expect(try await server.send(method, "/api/devices/d1" + act, token: nil).status == 401)
                try await server.expectRefusal(404, "not_found", method, "/api/devices/%ff\(act)")
                for id in ["%20", String(repeating: "d", count: 129), "D1"] {
                    try await server.expectRefusal(404, "unknown_device", method, "/api/devices/\(id)\(act)")
                }
            }
            #expect(try await server.send("GET", Self.devices, token: stranger).body.contains("d1") == false)
            #expect(try await Self.states(server) == ["d1 active"])
        }
    }

    @Test func `a device is reached by its escaped name`() async throws {
        try await TestServer.run { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            for id in ["...", "a/b", "license1", "100%", "x?y#z"] {
                #expect(try await Self.register(id, server).status == 201)
            }
            for escaped in ["...", "a%2Fb", "license1", "100%25", "x%3Fy%23z"] {
                #expect(try await server.send("POST", "/api/devices/\(escaped)/suspend").status == 200, "\(escaped)")
                #expect(try await server.send("DELETE", "/api/devices/\(escaped)").status == 204, "\(escaped)")
            }
        }
    }

    @Test func `a registration is refused`() async throws {
        try await TestServer.run { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            for (body, pointer) in [
                ("[]", "#"), ("{}", "#/device_id"), (#"{"device_id":null}"#, "#/device_id"),
                (#"{"device_id":1}"#, "#/device_id"), (#"{"device_id":""}"#, "#/device_id"),
                (#"{"device_id":"a b"}"#, "#/device_id"), (#"{"device_id":"é"}"#, "#/device_id"),
                (#"{"device_id":"\#(String(repeating: "d", count: 129))"}"#, "#/device_id"),
                (#"{"device_id":"license"}"#, "#/device_id"),
                (#"{"device_id":"."}"#, "#/device_id"), (#"{"device_id":".."}"#, "#/device_id"),
                (#"{"device_id":"d","name":""}"#, "#/name"), (#"{"device_id":"d","name":1}"#, "#/name"),
                (#"{"device_id":"d","name":"\#(String(repeating: "é", count: 101))"}"#, "#/name"),
                (#"{"device_id":"d","pinned":1}"#, "#/pinned"), (#"{"device_id":"d","pinned":"true"}"#, "#/pinned"),
                (#"{"device_id":"d","device_id":"d"}"#, "#"), ("", "#"),
            ] {
                try await server.expectRefusal(400, "invalid_request", "POST", Self.devices, body, at: pointer)
            }
            try await server.expectRefusal(
                415, "unsupported_media_type", "POST", Self.devices, "{}", fields: [("Content-Type", "text/plain")])
            #expect(try await Self.states(server) == [])
            let (longestID, longestName) = (String(repeating: "d", count: 128), String(repeating: "é", count: 100))
            let widest = try await server.send(
                "POST", Self.devices, #"{"device_id":"\#(longestID)","name":"\#(longestName)"}"#)
            #expect(widest.status == 201)
        }
    }

    @Test func `a hundred devices are enough`() async throws {
        try await TestServer.run(rateLimits: RateLimits(attachPerMinute: 0)) { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            for number in 1...100 {
                #expect(try await Self.register("d\(number)", server).status == 201)
                #expect(try await server.send("POST", "/api/devices/d\(number)/suspend").status == 200)
            }
            try await server.expectRefusal(409, "too_many_devices", "POST", Self.devices, #"{"device_id":"d101"}"#)
            let all = try await server.send("GET", Self.devices + "?limit=100").json
            #expect(all["data"]?.elements?.count == 100 && all["next_cursor"]?.isNull == true)
        }
    }

    @Test func `the twenty-first change of a name or the consent within a day is refused until the first is a day old`()
        async throws
    {
        try await TestServer.run { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            #expect(try await Self.register("d1", server).status == 201)
            let consent = "/api/iap/apple/consumption-consent"
            for number in 1...20 {
                let name = #"{"device_id":"d1","name":"name \#(number)"}"#
                #expect(try await server.send("POST", Self.devices, name).status == 200)
                let wish = #"{"consented":\#(number % 2 == 1)}"#
                #expect(try await server.send("PUT", consent, wish).status == 200)
            }
            let name = #"{"device_id":"d1","name":"another"}"#
            for (method, path, body) in [("POST", Self.devices, name), ("PUT", consent, #"{"consented":true}"#)] {
                let refused = try await server.send(method, path, body)
                #expect(refused.status == 429 && refused.code == "rate_limited", "\(refused.body)")
                #expect(refused.headers.first(name: "Retry-After") == "86401", "some were recorded a millisecond later")
                let kind = path == consent ? "consent_changes" : "device_changes"
                #expect(
                    refused.headers.first(name: "RateLimit-Policy")
                        == "\"\(kind)\";q=20;w=86400, \"write\";q=60;w=60")
                let rates = refused.headers.first(name: "RateLimit") ?? ""
                #expect(rates.hasPrefix("\"\(kind)\";r=0;t=86401, \"write\";r="), "\(rates)")
                #expect(refused.body.contains("2026-01-16T12:00:00Z"), "\(refused.body)")
            }
            let unchanged = try await server.send("POST", Self.devices, #"{"device_id":"d1","name":"name 20"}"#)
            #expect(unchanged.status == 200, "what restates is answered")
            let token = Fixture.apiKey(.write)
            let byServer = try await server.send(
                "POST", "/api/admin/users/u1/devices", name, token: token, fields: [("Idempotency-Key", "k")])
            #expect(byServer.status == 200, "a server answers for its own acts")
            server.wait(hours: 25)
            #expect(try await server.send("PUT", consent, #"{"consented":true}"#).status == 200)
        }
    }

    @Test func `explained acts come a page at a time, the newest first, in all three answers`() async throws {
        try await TestServer.run(rateLimits: RateLimits(attachPerMinute: 0)) { server in
            try await server.grant(.addDays(30, of: TierID("pro")), as: "g1")
            for device in ["d1", "d2"] { #expect(try await Self.register(device, server).status == 201) }
            for number in 1...30 {
                let path =
                    "/api/admin/users/u1/devices/d\(1 + number % 2)/"
                    + ((number - 1) / 2 % 2 == 0 ? "suspend" : "reactivate")
                let done = try await server.send(
                    "POST", path, token: Fixture.apiKey(.write), fields: [("Idempotency-Key", "k\(number)")])
                #expect(done.status == 200, "\(done.body)")
            }
            for (path, count) in [("/api/iap/apple/status", 32), (Self.devices, 32), ("/api/credits", 0)] {
                var told: [String] = []
                var cursor: String? = ""
                var pages = 0
                while let place = cursor {
                    let query = "?explain=1&limit=10" + (place.isEmpty ? "" : "&acts_cursor=" + place)
                    let json = try await server.send("GET", path + query).json
                    let lists = json["acts"].map { [$0] } ?? json["data"]?.elements?.compactMap { $0["acts"] } ?? []
                    let page = lists.flatMap { $0.elements ?? [] }.compactMap { $0["recorded_at_ms"]?.integer }
                    #expect(page.count <= 10)
                    told += page.sorted(by: >)
                    cursor = json["next_acts_cursor"]?.string
                    pages += 1
                }
                #expect(told.count == count && told == told.sorted(by: >) && Set(told).count == count, "\(path)")
                #expect(pages == (count == 0 ? 1 : 4))
            }
            for path in ["/api/iap/apple/status", Self.devices, "/api/credits"] {
                for (query, pointer) in [("acts_cursor=x", "?acts_cursor"), ("limit=101", "?limit")] {
                    try await server.expectRefusal(
                        400, "invalid_request", "GET", path + "?explain=1&" + query, at: pointer)
                }
            }
        }
    }

    @Test func `paths name their methods`() async throws {
        try await TestServer.run { server in
            for (path, allowed) in [
                (Self.devices, "GET, POST, HEAD, OPTIONS"), ("/api/devices/license/status", "GET, HEAD, OPTIONS"),
                ("/api/devices/d1", "DELETE, OPTIONS"), ("/api/devices/d1/seen", "POST, OPTIONS"),
                ("/api/iap/apple/consumption-consent", "PUT, OPTIONS"),
            ] {
                let wrong = try await server.send("PATCH", path, "{}")
                #expect(wrong.status == 405 && wrong.code == "method_not_allowed")
                #expect(wrong.headers.first(name: "allow") == allowed, "\(path)")
                #expect(try await server.send("OPTIONS", path).headers.first(name: "allow") == allowed)
            }
            for path in ["/api/devices/d1/nothing", "/api/devices/d1/seen/x", "/api/devices/license"] {
                #expect(try await server.send("GET", path).status == (path.hasSuffix("license") ? 405 : 404))
            }
        }
    }
}
