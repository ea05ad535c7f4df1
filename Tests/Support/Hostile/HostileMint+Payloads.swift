import Entitlements
import AppStore
import Crypto
import FoundationEssentials
import StoreSimulator

extension HostileMint {
    /// Authentic payloads that have no or more than one reading (`threats.md` T13).
    func payloadTexts() throws -> [HostileVector] {
        let header = Array(self.header.json.utf8)
        return family(
            "ambiguous payload", .payloadMalformed,
            try ambiguities(of: payload.json, member: #""quantity":1"#).map {
                ($0.0, try sign(header: header, payload: $0.1))
            })
    }

    /// Authentic payloads whose members are not what they must be.
    func payloadFields() throws -> [HostileVector] {
        try missingMembers() + mistypedMembers() + oddNumbers() + outOfRange() + oddIdentifiers() + signedDates()
    }

    private func replaced(_ name: String, _ verbatim: String) throws -> String {
        var payload = fullPayload
        payload[name] = .verbatim(verbatim)
        return try sign(payload)
    }

    private func missingMembers() throws -> [HostileVector] {
        let names = [
            "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "signedDate", "type",
        ]
        return family(
            "required member missing", .payloadMalformed,
            try names.flatMap { name in
                [
                    ("no \(name)", try sign(changed(name, nil))), ("\(name) null", try replaced(name, "null")),
                    (
                        "\(name) in capitals",
                        try sign(payload: payload.json.replacing("\"\(name)\"", with: "\"\(name.uppercased())\""))
                    ),
                    (
                        "\(name) with a blank",
                        try sign(payload: payload.json.replacing("\"\(name)\"", with: "\"\(name) \""))
                    ),
                ]
            } + [("no member at all", try sign(payload: "{}"))])
    }

    private static let texts = [
        "transactionId", "originalTransactionId", "webOrderLineItemId", "bundleId", "productId", "type",
        "inAppOwnershipType", "appAccountToken", "appTransactionId", "revocationType",
    ]
    private static let numbers = [
        "purchaseDate", "originalPurchaseDate", "expiresDate", "signedDate", "revocationDate",
        "revocationPercentage", "quantity",
    ]

    private func mistypedMembers() throws -> [HostileVector] {
        var vectors: [(String, String)] = []
        for name in Self.texts {
            for value in ["1", "true", "[]", "{}", "[\"x\"]"] {
                vectors.append(("\(name) is \(value)", try replaced(name, value)))
            }
        }
        for name in Self.numbers {
            for value in ["\"1\"", "true", "[1]", "{}", "\"\""] {
                vectors.append(("\(name) is \(value)", try replaced(name, value)))
            }
        }
        for value in ["1", "0", "\"true\"", "[]", "{}"] {
            vectors.append(("isUpgraded is \(value)", try replaced("isUpgraded", value)))
        }
        return family("member of another type", .payloadMalformed, vectors)
    }

    private func oddNumbers() throws -> [HostileVector] {
        let spellings = [
            "1.0", "1e3", "1E0", "-0", "0.5", "1e300", "-1e300", "9223372036854775808", "-9223372036854775809",
            "99999999999999999999999999",
        ]
        return family(
            "number that is no plain integer", .payloadMalformed,
            try Self.numbers.flatMap { name in try spellings.map { ("\(name) is \($0)", try replaced(name, $0)) } }
                + [("purchaseDate with a fraction", try replaced("purchaseDate", "1697679936049.7297"))])
    }

    private func outOfRange() throws -> [HostileVector] {
        let quantities = ["0", "-1", "11", "100", "4294967297", "9223372036854775807", "-9223372036854775808"]
        let dates = ["-62135769600001", "253402300800000", "9223372036854775807", "-9223372036854775808"]
        return family(
            "quantity out of range", .payloadMalformed,
            try quantities.map { ("quantity \($0)", try replaced("quantity", $0)) })
            + family(
                "date beyond the calendar", .payloadMalformed,
                try ["purchaseDate", "originalPurchaseDate", "expiresDate", "revocationDate", "signedDate"].flatMap {
                    name in
                    try dates.map { ("\(name) \($0)", try replaced(name, $0)) }
                })
    }

    private func oddIdentifiers() throws -> [HostileVector] {
        let values = [
            "", " ", "2000001 ", " 2000001", "2000\u{0}001", "2000\n001", "２０００００１", "2000001é", "\u{200B}2000001",
            String(repeating: "2", count: 256), "a\u{7F}",
        ]
        return family(
            "identifier that names nothing", .payloadMalformed,
            try ["transactionId", "originalTransactionId", "productId", "webOrderLineItemId"].flatMap { name in
                try values.map {
                    (
                        "\(name) \(SimulatedPayload.quoted(String($0.prefix(12))))",
                        try replaced(name, SimulatedPayload.quoted($0))
                    )
                }
            })
    }

    private func signedDates() throws -> [HostileVector] {
        let future: [(String, Int64)] = [
            ("five minutes and a millisecond", 300_001), ("six minutes", 360_000), ("an hour", 3_600_000),
            ("a day", 86_400_000), ("a year", 31_536_000_000),
        ]
        let past: [(String, Int64)] = [
            ("a millisecond before 2021", 1_609_459_199_999), ("2020", 1_577_836_800_000), ("2019", 1_546_300_800_000),
        ]
        return family(
            "signed in the future", .signedDateOutOfRange,
            try future.map { ($0.0, try sign(changed("signedDate", .integer(now + $0.1)))) })
            + family(
                "signed before texts were signed", .signedDateOutOfRange,
                try past.map { ($0.0, try sign(changed("signedDate", .integer($0.1)))) })
    }

    /// Authentic texts of another kind, app or environment (`threats.md` T9, T10, T12).
    func identities() throws -> [HostileVector] {
        try otherKinds() + otherApps() + otherEnvironments()
    }

    private func otherKinds() throws -> [HostileVector] {
        let subscription = SimulatedTransaction.subscription(
            "1", of: "com.visla.gps.annual3", group: "2", bundleId: app.bundleId, at: now - 3_600_000, until: now)
        var renewalInfo = SimulatedRenewalInfo(for: subscription)
        let renewing = renewalInfo.payload
        renewalInfo.autoRenewStatus = .off
        var bare = renewing
        bare["autoRenewProductId"] = nil
        var withApp = renewing
        withApp["bundleId"] = .string(app.bundleId)
        let download = SimulatedAppTransaction(bundleId: app.bundleId, at: now - 3_600_000)
        var production = download
        production.environment = .production
        production.appAppleId = app.appAppleId
        var signedDownload = download.payload
        signedDownload["signedDate"] = .integer(now - 3_600_000)
        signedDownload["environment"] = .string("Sandbox")
        let inner = try sign(payload)
        let contents: [(String, NotificationType, SimulatedNotification.Content)] = [
            ("of a purchase", .oneTimeCharge, .data(transaction: inner, renewalInfo: nil, status: nil)),
            ("of a test", .test, .data(transaction: nil, renewalInfo: nil, status: nil)),
            (
                "of a summary", .renewalExtension,
                .summary(productId: "x", requestIdentifier: "y", succeeded: 1, failed: 0)
            ),
            ("of a token", .externalPurchaseToken, .externalPurchaseToken(id: "SANDBOX_1", createdAt: now)),
            ("of an app", .rescindConsent, .appData(appTransaction: inner)),
        ]
        let notifications = try contents.map { name, type, content in
            (
                "notification \(name)",
                try sign(
                    SimulatedNotification(type, uuid: "u", about: content, bundleId: app.bundleId, at: now - 3_600_000)
                        .payload)
            )
        }
        let request = SimulatedPayload([
            ("originalTransactionId", .string("1")), ("appAppleId", .integer(1_234_567_890)),
            ("productId", .string("x")), ("userLocale", .string("en-US")),
            ("requestIdentifier", .string("y")), ("environment", .string("Sandbox")),
            ("signedDate", .integer(now - 3_600_000)),
        ])
        return family(
            "payload of another kind", .wrongPayloadKind,
            [
                ("renewal info", try sign(renewing)), ("renewal info that is off", try sign(renewalInfo.payload)),
                ("renewal info with less", try sign(bare)), ("renewal info that names an app", try sign(withApp)),
                ("app transaction", try sign(download.payload)),
                ("app transaction of Production", try sign(production.payload)),
                ("app transaction with a signedDate", try sign(signedDownload)),
                ("retention request", try sign(request)),
            ] + notifications)
    }

    private func otherApps() throws -> [HostileVector] {
        let id = app.bundleId
        let names = [
            "com.other.app", "", id + ".", "." + id, id + ".watch", "x" + id, id + "x", String(id.dropLast()),
            String(id.dropFirst()), id.uppercased(), id.capitalized,
            id + " ", " " + id, id + "\0", id + "\n", id.replacing("a", with: "а"), id.replacing(".", with: "．"),
            id.replacing(".", with: "-"), id + "\u{301}",
            id + "\u{200B}", "*", "com.airport.*", "ＣＯＭ.airport.vpn", id + "," + id, "null",
        ]
        return family(
            "another app", .wrongApp,
            try names.map { (SimulatedPayload.quoted($0), try sign(changed("bundleId", .string($0)))) })
    }

    private func otherEnvironments() throws -> [HostileVector] {
        let names = [
            "Xcode", "LocalTesting", "sandbox", "SANDBOX", "production", "PRODUCTION", "PROD", "Prod", "", " ",
            "Sandbox ", " Production", "Production\0", "Staging",
            "LocalTestingxxx", "Ｓandbox", "Sandbox,Production",
        ]
        let values = ["0", "true", "[]", "{}", #"["Sandbox"]"#, "null"]
        return family(
            "another environment", .wrongEnvironment,
            try names.map { (SimulatedPayload.quoted($0), try sign(changed("environment", .string($0)))) }
                + values.map { ("environment is \($0)", try sign(changed("environment", .verbatim($0)))) }
                + [("no environment", try sign(changed("environment", nil)))])
    }
}
