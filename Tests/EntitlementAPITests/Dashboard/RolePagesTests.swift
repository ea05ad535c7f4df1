import AsyncHTTPClient
import Dashboard
import Entitlements
import HTTPTypes
import LedgerStore
import NIOHTTP1
import Support
import Testing

@testable import EntitlementAPI

/// Each page and form of the dashboard, for each role, and for nobody.
@Suite(.serialized) struct RolePagesTests {
    /// The least role that opens a page or sends a form; nil for everybody, signed in or not. Each line of
    /// `Dashboard.endpoints` has one here.
    private static let rights: [String: StaffRole?] = [
        "GET /dashboard/style/{name}": nil, "GET /dashboard/sign-in": nil,
        "POST /dashboard/sign-in": nil, "GET /dashboard/link/{link}": nil,
        "POST /dashboard/link/{link}": nil,
        "POST /dashboard/sign-out": .viewer, "POST /dashboard/sign-out-everywhere": .viewer,
        "GET /dashboard": .viewer, "GET /dashboard/search": .viewer, "GET /dashboard/purchase": .viewer,
        "GET /dashboard/users/{user_id}": .viewer, "GET /dashboard/**": .viewer,
        "GET /dashboard/overview": .viewer, "GET /dashboard/users": .viewer, "GET /dashboard/deliveries": .viewer,
        "POST /dashboard/deliveries/{delivery_id}/replay": .support,
        "POST /dashboard/deliveries/{delivery_id}/body": .support,
        "GET /dashboard/jobs": .viewer, "POST /dashboard/jobs/{job_id}/revive": .support,
        "GET /dashboard/anomalies": .viewer, "GET /dashboard/late-passes": .viewer,
        "GET /dashboard/conflicts": .viewer, "GET /dashboard/refund-questions": .viewer,
        "GET /dashboard/testers": .viewer, "GET /dashboard/reconciliations": .viewer,
        "GET /dashboard/catalogue": .viewer, "GET /dashboard/compensations": .support,
        "POST /dashboard/compensations": .support, "GET /dashboard/api-keys": .owner,
        "POST /dashboard/api-keys": .owner, "POST /dashboard/api-keys/{key_id}/revoke": .owner,
        "GET /dashboard/api-keys/{key_id}/revoke": .owner,
        "GET /dashboard/staff": .owner, "POST /dashboard/staff": .owner,
        "POST /dashboard/staff/{staff_id}/reset": .owner, "POST /dashboard/staff/{staff_id}/disable": .owner,
        "POST /dashboard/staff/{staff_id}/sign-out": .owner, "POST /dashboard/staff/{staff_id}/role": .owner,
        "GET /dashboard/audit": .owner, "GET /dashboard/audit.csv": .owner,
        "GET /dashboard/account": .viewer, "POST /dashboard/account": .viewer,
        "POST /dashboard/account/password": .viewer, "POST /dashboard/account/sessions": .viewer,
        "POST /dashboard/orders": .viewer, "POST /dashboard/purchase/bind": .support,
        "GET /dashboard/users/{user_id}/acts": .support,
    ].merging(acts) { $1 }

    private static var acts: [String: StaffRole?] {
        let names = [
            "bind", "erase", "give-add-on", "give-credits", "give-days", "give-until", "make-good", "merge",
            "name-tester", "remove-device", "revoke", "sign-out", "take-credits", "transfer", "unname-tester",
        ]
        let rights = names.flatMap { name -> [(String, StaffRole?)] in
            let path = "/dashboard/users/{user_id}/acts/" + name
            let role: StaffRole = name == "erase" ? .owner : .support
            return [("GET " + path, role), ("POST " + path, role), ("POST \(path)/confirm", role)]
        }
        return Dictionary(uniqueKeysWithValues: rights)
    }

    private static func path(_ endpoint: Endpoint) -> String {
        endpoint.path.replacing("{user_id}", with: "u1").replacing("**", with: "no/such/page")
            .replacing("{name}", with: "x.css").replacing("{link}", with: "x")
            .replacing("{delivery_id}", with: "999").replacing("{job_id}", with: "999")
            .replacing("{key_id}", with: "999").replacing("{staff_id}", with: "999")
    }

    @Test func `the table of rights has each page and form, and no other`() {
        #expect(Set(Self.rights.keys) == Set(Browser.dashboard.endpoints.map(\.name)))
    }

    @Test(arguments: StaffRole.allCases)
    func `a role opens what it has a right to, and nothing else`(_ role: StaffRole) async throws {
        try await Browser.visiting { server, client in
            let browser = try await Browser.signedIn(role, at: server, client)
            let token = Browser.formToken(in: try await browser.get("/dashboard").body)
            for endpoint in Browser.dashboard.endpoints where !endpoint.path.hasPrefix("/dashboard/sign-") {
                guard let least = try #require(Self.rights[endpoint.name], "\(endpoint.name)") else { continue }
                let path = Self.path(endpoint)
                let answer =
                    endpoint.method == .get
                    ? try await browser.get(path) : try await browser.post(path, [:], from: "/dashboard", token: token)
                let mayOpen = StaffRole.allCases.drop { $0 != least }.contains(role)
                #expect((answer.status != 403) == mayOpen, "\(role) \(endpoint.name): \(answer.status)")
                #expect(answer.status < 500, "\(role) \(endpoint.name): \(answer.status)")
                let isSearch = endpoint.path == "/dashboard/search"
                #expect(isSearch || answer.status != 303, "\(role) \(endpoint.name)")
            }
        }
    }

    @Test func `nobody opens anything without a sign-in, or sends a form without its token`() async throws {
        try await Browser.visiting { server, client in
            let stranger = Browser(server, client)
            let owner = try await Browser.signedIn(.owner, at: server, client)
            for endpoint in Browser.dashboard.endpoints {
                guard try #require(Self.rights[endpoint.name], "\(endpoint.name)") != nil else { continue }
                let path = Self.path(endpoint)
                if endpoint.method == .get {
                    let answer = try await stranger.get(path)
                    #expect(answer.status == 303, "\(endpoint.name): \(answer.status)")
                    #expect(answer.headers["location"].first?.hasPrefix("/dashboard/sign-in") == true)
                } else {
                    let form = [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", Browser.origin)]
                    #expect(try await stranger.send("POST", path, "", form).status == 403, "\(endpoint.name)")
                    for token in ["", "x"] {
                        let answer = try await owner.post(path, [:], from: "/dashboard", token: token)
                        #expect(answer.status == 403, "\(endpoint.name): \(answer.status)")
                    }
                    let foreign = try await owner.post(path, [:], from: "/dashboard", origin: "https://evil.example")
                    #expect(foreign.status == 403, "\(endpoint.name)")
                }
            }
            #expect(try await owner.get("/dashboard").status == 200)
        }
    }

    @Test func `the side bar shows what a role may open`() async throws {
        try await Browser.visiting { server, client in
            for (role, hidden) in [
                (StaffRole.viewer, ["Compensations", "API keys", "Staff and sessions", "Audit"]),
                (.support, ["API keys", "Staff and sessions", "Audit"]), (.owner, []),
            ] {
                let browser = try await Browser.signedIn(role, named: role.rawValue, at: server, client)
                let links = try await browser.page("/dashboard/overview").all("nav")[0].text
                for name in ["Overview", "Catalogue", "Anomalies 0", "Compensations", "API keys", "Audit"] {
                    #expect(links.contains(name) == !hidden.contains(name), "\(role) \(name)")
                }
            }
        }
    }
}
