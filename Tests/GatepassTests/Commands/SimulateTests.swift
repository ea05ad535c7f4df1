import Foundation
import NIOHTTP1
import Support
import Testing

@testable import Gatepass

/// `gatepass simulate` mints what the App Store would have signed.
@Suite(.serialized) struct SimulateTests {
    @Test func `the printed app transaction proves the Apple account that bought, and a purchase moves with it alone`()
        async throws
    {
        let installation = try await DevelopmentInstallation.open()
        defer { installation.close() }
        for (options, environment, account, other) in [
            ([], [], "ann", "bea"), ([], ["--environment", "Production"], "ann", "bea"),
            (["--apple-account", "bea"], [], "bea", "ann"),
        ] {
            let sold = try await installation.simulate(["purchase", "--user", "ann", "--json"] + options + environment)
            #expect(sold.status == 0 && sold.string("answer.outcome") == "attached", "\(sold.text)")
            var body = ["signedTransactionJWS": try #require(sold.string("jws"))]
            #expect(try await installation.attach(body, as: "cleo").string("code") == "owned_by_another_user")
            for (user, code) in [(other, "owned_by_another_user"), (account, nil)] {
                let proof = try await installation.simulate(["app-transaction", "--user", user] + environment)
                #expect(proof.status == 0 && proof.text.split(separator: "\n").count == 1, "\(proof.text)")
                body["signedAppTransaction"] = proof.text.trimmingCharacters(in: .newlines)
                let answer = try await installation.attach(body, as: "cleo")
                #expect(answer.string("code") == code, "\(answer.text)")
                #expect(answer.string("outcome") == (code == nil ? "attached" : nil))
            }
        }
    }

    @Test func `an app transaction is of the app that is named, which the catalogue has to know`() async throws {
        let installation = try await DevelopmentInstallation.open()
        defer { installation.close() }
        let apps = "[{bundle_id: com.airport.vpn}, {bundle_id: com.airport.second}]"
        let catalogue = "{apps: \(apps), tiers: [{id: pro, rank: 1}], products: []}"
        try EndToEndServer.write(catalogue, to: installation.directory + "/catalog.yaml")
        for (words, app) in [
            ([], "com.airport.vpn"), (["--app", "com.airport.vpn"], "com.airport.vpn"),
            (["--app", "com.airport.second"], "com.airport.second"),
        ] {
            let proof = try await installation.simulate(["app-transaction"] + words)
            #expect(proof.status == 0, "\(proof.text)")
            let read = try await installation.run(["inspect", proof.text.trimmingCharacters(in: .newlines)])
            let bundle = read.text.split(separator: "\n").first { $0.contains("bundleId") }
            #expect(read.status == 0 && bundle?.contains(#""\#(app)""#) == true, "\(read.text)")
        }
        let refused = try await installation.simulate(["app-transaction", "--app", "com.airport.third"])
        #expect(refused.status == 64, "\(refused.text)")
        #expect(
            refused.text.contains("--app com.airport.third: write one of com.airport.vpn, com.airport.second"),
            "\(refused.text)")
    }

    @Test func `a refund finds what was printed and attached, and no text that was only printed`() async throws {
        let installation = try await DevelopmentInstallation.open()
        defer { installation.close() }
        let words = ["--user", "ann", "--json"]
        var printed: [EndToEndAnswer] = []
        for _ in 0..<2 { printed.append(try await installation.simulate(["purchase", "--print"] + words)) }
        let early = try await installation.simulate(["refund"] + words)
        #expect(early.status == 1 && early.text.contains("nothing was delivered to ann"), "\(early.text)")
        let attached = try await installation.attach(
            ["signedTransactionJWS": try #require(printed[0].string("jws"))], as: "ann")
        #expect(attached.string("outcome") == "attached", "\(attached.text)")
        let refunded = try await installation.simulate(["refund"] + words)
        #expect(refunded.status == 0, "\(refunded.text)")
        #expect(refunded.string("transaction_id") == printed[0].string("transaction_id"), "\(refunded.text)")
        let status = try await installation.send(.GET, EndToEndServer.statusPath, as: "ann")
        #expect(status.string("entitlements.0.state") == "revoked", "\(status.text)")
    }

    @Test func `a purchase with another user's account token is refused, and with the user's own it is taken`()
        async throws
    {
        let installation = try await DevelopmentInstallation.open()
        defer { installation.close() }
        let issued = try await installation.send(.GET, "/api/iap/apple/account-token", as: "ann")
        let token = try #require(issued.string("app_account_token")).uppercased()
        let refused = try await installation.simulate(["purchase", "--user", "bea", "--account-token", token])
        #expect(refused.status == 1 && refused.text.contains("account_token_mismatch"), "\(refused.text)")
        let refusal = refused.text.split(separator: "\n").map(String.init)
        #expect(refusal.contains("bea has tier free and no access"), "\(refused.text)")
        #expect(refusal.contains { $0.hasPrefix("gatepass: the server answered 409: ") }, "\(refused.text)")
        let taken = try await installation.simulate(["purchase", "--user", "ann", "--account-token", token])
        let lines = taken.text.split(separator: "\n").map(String.init)
        #expect(taken.status == 0 && lines.count == 2, "\(taken.text)")
        #expect(lines.first?.hasPrefix("ann bought pass.30 as 2") == true, "\(taken.text)")
        #expect(lines.first?.hasSuffix(": attached") == true, "\(taken.text)")
        #expect(lines.last?.hasPrefix("ann has tier pro, until ") == true, "\(taken.text)")
    }

    @Test func `a restore tells how many of each kind came of it, what was refused for, and what Apple's history gave`()
    {
        func line(_ body: String) -> String { RestoreLine(.init(status: 200, body: body)).text }
        #expect(
            line(
                #"{"results":[{},{"code":"wrong_app"},{}],"summary":{"attached":1,"already_attached":1,"revoked":0,"#
                    + #""recorded":0,"duplicates":0,"refused":1,"recovered":2},"history":"complete"}"#)
                == "3 purchases: 1 attached, 1 already attached, 1 refused (wrong_app); "
                + "Apple's history is complete and brought 2 more")
        for (history, words) in [
            ("complete", "is complete"), ("recent", "was read less than 10 minutes ago"),
            ("pending", "is still being read"), ("unavailable", "is not to be had now"),
            ("not_configured", "is not read here"),
        ] {
            let body = #"{"results":[{}],"summary":{"attached":1,"recovered":0},"history":"\#(history)"}"#
            #expect(line(body) == "1 purchase: 1 attached; Apple's history \(words)")
        }
    }

    @Test func `what is no UUID or no environment is refused by the option's name, before anything is signed`()
        async throws
    {
        for (words, complaint) in [
            (["purchase", "--account-token", "1234"], "--account-token 1234: write a UUID"),
            (["purchase", "--account-token", ""], "--account-token : write a UUID"),
            (["purchase", "--environment", "Xcode"], "--environment Xcode: write Sandbox or Production"),
            (["app-transaction", "--environment", "Xcode"], "--environment Xcode: write Sandbox or Production"),
        ] {
            let answer = try await DevelopmentInstallation.run(["simulate"] + words + ["--data-dir", "/nowhere"])
            #expect(answer.status == 64 && answer.text.contains(complaint), "\(answer.text)")
        }
    }
}
