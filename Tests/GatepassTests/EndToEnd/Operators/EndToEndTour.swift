import Support
import Testing

/// One call of each route and of each command, in an order in which all of them succeed.
///
/// `TidyTests` compare the routes with the URL table and the commands with the program's.
enum EndToEndTour {
    /// A call of one route.
    struct Call: Sendable {
        /// As the URL table has it, behind the method; `{name}` is put in from what is known by then.
        let route: String
        var query = ""
        /// JSON, with `{name}` likewise.
        var body: String?
        /// A store's signature of the body, likewise.
        var signature: String?
        /// Members of the answer that later calls need, by the names that they go by there.
        var learned: [String: String] = [:]
    }

    private static let why = #""reason":"a tour","reference":"tour""#

    /// Of anybody.
    static let open = [
        Call(route: "GET /livez"), Call(route: "GET /readyz"), Call(route: "GET /metrics"),
        Call(route: "GET /openapi.yaml"), Call(route: "GET /openapi/app.yaml"),
        Call(route: "GET /.well-known/jwks.json"), Call(route: "GET /api/iap/apple/products"),
        Call(route: "POST /api/iap/apple/sign-in", body: #"{"signedAppTransaction":"{app_transaction}"}"#),
    ]

    /// Of anybody, where the clock can be put forward, and of the simulated App Store under its own kind of token;
    /// `{transaction_id}` was sold.
    static let development = [
        Call(route: "POST /dev/apple/faults", body: "{}"), Call(route: "GET /dev/clock"),
        Call(route: "POST /dev/clock", body: #"{"advance":"1h"}"#),
        Call(route: "GET /dev/apple/{environment}/inApps/v2/history/{transaction_id}"),
        Call(
            route: "PUT /dev/apple/{environment}/inApps/v2/transactions/consumption/{transaction_id}",
            body: #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#),
        Call(
            route: "PUT /dev/apple/{environment}/inApps/v1/transactions/{transaction_id}/appAccountToken",
            body: #"{"appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138"}"#),
        Call(route: "GET /dev/apple/{environment}/inApps/v1/lookup/{order_id}"),
        Call(route: "GET /dev/apple/{environment}/inApps/v1/transactions/{transaction_id}"),
        Call(route: "GET /dev/apple/{environment}/inApps/v1/subscriptions/{transaction_id}"),
        Call(
            route: "POST /dev/apple/{environment}/inApps/v1/notifications/history",
            body: #"{"startDate":1700000000000,"endDate":1900000000000}"#),
        Call(route: "POST /dev/apple/{environment}/inApps/v1/notifications/test"),
        Call(route: "GET /dev/apple/{environment}/inApps/v1/notifications/test/{token}"),
        Call(route: "POST /dev/apple/{environment}/verifyReceipt", body: "{}"),
    ]

    /// Of a signed-in user, who then has `{pass}` and 100 credits.
    static let own = [
        Call(
            route: "POST /api/iap/apple/transactions/attach", body: #"{"signedTransactionJWS":"{pass_jws}"}"#),
        Call(route: "POST /api/iap/apple/restore", body: #"{"signedTransactions":["{pass_jws}","{credits_jws}"]}"#),
        Call(route: "POST /api/iap/apple/receipts", body: #"{"receipt_data":"{receipt}"}"#),
        Call(route: "POST /api/iap/apple/adopt", body: #"{"signedAppTransaction":"{app_transaction}"}"#),
        Call(route: "GET /api/iap/apple/status", query: "?explain=1&history=1"),
        Call(route: "GET /api/iap/apple/account-token"),
        Call(route: "GET /api/iap/entitlement-token"),
        Call(route: "PUT /api/iap/apple/consumption-consent", body: #"{"consented":true}"#),
        Call(route: "GET /api/iap/purchases"),
        Call(route: "GET /api/credits"),
        Call(route: "POST /api/credits/{unit}/spend", body: #"{"amount":1,"reference":"tour"}"#),
        Call(
            route: "POST /api/credits/{unit}/reservations", body: #"{"amount":2,"ttl_seconds":60}"#,
            learned: ["reservation_id": "reservation_id"]),
        Call(route: "POST /api/credits/reservations/{reservation_id}/commit", body: "{}"),
        Call(
            route: "POST /api/credits/{unit}/reservations", body: #"{"amount":3,"ttl_seconds":60}"#,
            learned: ["reservation_id": "reservation_id"]),
        Call(route: "POST /api/credits/reservations/{reservation_id}/release", body: "{}"),
        Call(route: "POST /api/devices", body: #"{"device_id":"{device_id}"}"#),
        Call(route: "GET /api/devices"),
        Call(route: "GET /api/devices/license/status"),
        Call(route: "POST /api/devices/{device_id}/suspend"),
        Call(route: "POST /api/devices/{device_id}/reactivate"),
        Call(route: "POST /api/devices/{device_id}/seen"),
        Call(route: "DELETE /api/devices/{device_id}"),
        Call(route: "GET /api/billing/plan-change", query: "?product_id=pair.30"),
        Call(route: "GET /api/billing/subscriptions/check/{user_id}"),
        Call(route: "POST /api/billing/webhooks/apple", body: #"{"signedPayload":"{notification}"}"#),
        Call(route: "POST /api/billing/webhooks/stripe", body: "{card_event}", signature: "{card_signature}"),
    ]

    /// Of a server about that user; `{guest}`, `{friend}` and `{late}` are other users, who have a pass each, `{late}`
    /// one that had ended before; a job is dead.
    static let operators = [
        Call(route: "GET /api/admin/users/{user_id}/status", query: "?explain=1"),
        Call(route: "GET /api/admin/users/{user_id}/timeline"),
        Call(route: "GET /api/admin/users/{user_id}/purchases"),
        Call(route: "GET /api/admin/users", query: "?state=active&order=end&limit=2"),
        Call(route: "GET /api/admin/summary"),
        Call(route: "GET /api/admin/users/{user_id}/credits"),
        Call(route: "POST /api/admin/users/{user_id}/credits/{unit}/spend", body: #"{"amount":1,"reference":"tour"}"#),
        Call(
            route: "POST /api/admin/users/{user_id}/credits/{unit}/reservations",
            body: #"{"amount":2,"ttl_seconds":60}"#, learned: ["reservation_id": "reservation_id"]),
        Call(route: "POST /api/admin/users/{user_id}/credits/reservations/{reservation_id}/commit", body: "{}"),
        Call(
            route: "POST /api/admin/users/{user_id}/credits/{unit}/reservations",
            body: #"{"amount":3,"ttl_seconds":60}"#, learned: ["reservation_id": "reservation_id"]),
        Call(route: "POST /api/admin/users/{user_id}/credits/reservations/{reservation_id}/release", body: "{}"),
        Call(route: "POST /api/admin/users/{user_id}/devices", body: #"{"device_id":"{device_id}"}"#),
        Call(route: "GET /api/admin/users/{user_id}/devices"),
        Call(route: "GET /api/admin/users/{user_id}/devices/license/status"),
        Call(route: "POST /api/admin/users/{user_id}/devices/{device_id}/suspend"),
        Call(route: "POST /api/admin/users/{user_id}/devices/{device_id}/reactivate"),
        Call(route: "POST /api/admin/users/{user_id}/devices/{device_id}/seen"),
        Call(route: "DELETE /api/admin/users/{user_id}/devices/{device_id}"),
        Call(
            route: "POST /api/admin/users/{user_id}/grants",
            body: #"{"kind":"add_days","tier":"pro","days":3,\#(why)}"#,
            learned: ["id": "grant_id"]),
        Call(route: "POST /api/admin/users/{user_id}/grants/{grant_id}/revoke", body: "{\(why)}"),
        Call(route: "POST /api/admin/users/{user_id}/bind", body: #"{"external_id":"{unowned}",\#(why)}"#),
        Call(
            route: "POST /api/admin/users/{user_id}/transfer",
            body: #"{"external_id":"{unowned}","to_user_id":"{friend}",\#(why)}"#),
        Call(route: "POST /api/admin/users/{user_id}/revoke", body: #"{"external_id":"{pass}",\#(why)}"#),
        Call(route: "POST /api/admin/users/{user_id}/merge", body: #"{"from_user_id":"{guest}",\#(why)}"#),
        Call(route: "POST /api/admin/users/{user_id}/sign-out", body: #"{"reason":"a tour"}"#),
        Call(route: "PUT /api/admin/users/{user_id}/sandbox-tester"),
        Call(route: "GET /api/admin/sandbox-testers"),
        Call(route: "DELETE /api/admin/users/{user_id}/sandbox-tester"),
        Call(route: "GET /api/admin/ended-before-attached"),
        Call(route: "POST /api/admin/users/{late}/make-good", body: #"{"external_id":"{ended}",\#(why)}"#),
        Call(
            route: "POST /api/admin/compensations",
            body: #"{"from":"{yesterday}","to":"{today}","add_hours":1,\#(why)}"#),
        Call(route: "GET /api/admin/search", query: "?q={user_id}"),
        Call(route: "POST /api/admin/orders/look-up", body: #"{"order_id":"MQ7HX2K4TN"}"#),
        Call(route: "GET /api/admin/anomalies"),
        Call(route: "GET /api/admin/conflicts"),
        Call(route: "GET /api/admin/purchases", query: "?source=apple_iap&limit=2"),
        Call(route: "GET /api/admin/transactions"),
        Call(route: "GET /api/admin/jobs", learned: ["data.0.id": "job_id"]),
        Call(route: "POST /api/admin/jobs/{job_id}/revive", body: #"{"reason":"tour"}"#),
        Call(route: "GET /api/admin/webhooks", learned: ["data.0.id": "delivery_id"]),
        Call(route: "POST /api/admin/webhooks/{delivery_id}/replay", body: #"{"reason":"tour"}"#),
        Call(route: "GET /api/admin/consumption-requests"),
        Call(route: "GET /api/admin/reconciliations"),
        Call(route: "GET /api/admin/catalog"),
        Call(route: "GET /api/admin/audit", query: "?action=grant.give&since={yesterday}"),
        Call(
            route: "POST /api/admin/api-keys", body: #"{"name":"tour","scopes":["read"]}"#, learned: ["id": "key_id"]),
        Call(route: "GET /api/admin/api-keys"),
        Call(route: "POST /api/admin/api-keys/{key_id}/revoke"),
        Call(route: "GET /api/admin/users/{user_id}/export"),
        Call(route: "POST /api/admin/users/{user_id}/erase", body: "{\(why)}"),
    ]

    /// The commands that do nothing to a server; with a reason, two of them do.
    private static let reads = [
        "config check", "catalog check", "catalog plan", "catalog import", "keys list", "user status", "user timeline",
        "user devices", "user credits", "search", "user export", "staff list", "jobs list", "webhooks list",
        "audit list", "audit verify", "token", "doctor", "simulate stories", "simulate lose",
        "simulate app-transaction", "simulate receipt", "clock show", "inspect", "health", "secrets create",
    ]

    /// True if a command does something to a server, so that it names the server first.
    static func isAct(_ command: String) -> Bool {
        !reads.contains { "\(command) ".hasPrefix($0 + " ") && !command.contains(" --reason ") }
    }

    /// Commands beside a server that serves, whose user is `{user}`; `{storekit}` is a StoreKit configuration file, and
    /// `{secrets}` a directory for secrets.
    static let commands = [
        "config check", "health", "health --live", "secrets create {secrets}", "migrate", "catalog check",
        "catalog plan", "catalog apply",
        "catalog import {storekit} --bundle-id com.example.app",
        "keys create --scopes read --name tour --json", "keys list", "keys revoke {key_id}",
        "grant {user} --pass pro --days 3 --reason tour --reference tour",
        "user status {user}", "user timeline {user}", "user devices {user}",
        "user credits {user} --give 5 --unit credit --reason tour --reference tour", "user credits {user}",
        "user tester {user} --reason tour", "user tester {user} --off --reason tour",
        "user transfer {user} --purchase {pass} --to {user}.friend --reason tour",
        "user merge {user} --from {user}.friend --reason tour", "user sign-out {user} --reason tour",
        "user revoke {user} --purchase {pass} --reason tour", "user bind {user} --purchase {unowned} --reason tour",
        "user make-good {user}.late --purchase {ended} --reason tour --reference tour", "search {user}",
        "compensate --from 2026-01-01T00:00:00Z --to 2026-01-01T06:00:00Z --add-hours 6 --reason r --reference tour",
        "user export {user}", "user erase {user} --reason tour --dry-run", "user erase {user} --reason tour",
        "staff create tour --role viewer --reason tour", "staff list", "staff reset tour", "staff disable tour",
        "tokens rotate", "jobs list", "jobs revive {job}", "webhooks list --state parked",
        "webhooks replay {delivery}", "reconcile stripe", "audit list --actor command_line", "audit verify",
        "projection rebuild",
    ]

    /// Commands on the development installation that `dev` serves.
    static let simulated = [
        "token tourist", "doctor", "simulate stories", "simulate purchase --user tourist",
        "simulate refund --user tourist",
        "simulate reverse --user tourist", "simulate notify TEST",
        "simulate purchase --user tourist --product pass.30 --family-shared", "simulate revoke --user tourist",
        "simulate subscribe --user tourist --product monthly.1",
        "simulate upgrade --user tourist --to annual.3",
        "simulate downgrade --user tourist --to monthly.1",
        "simulate price-increase --user tourist --accepted", "simulate cancel --user tourist",
        "simulate cancel --user tourist --undo",
        "simulate billing-failure --user tourist --grace-days 6", "simulate recover --user tourist",
        "simulate expire --user tourist", "simulate subscribe --user tourist --product monthly.1",
        "simulate renew --user tourist", "simulate purchase --user kid --ask-to-buy",
        "simulate approve --user kid --hold", "simulate deliver --newest-first", "clock show", "clock advance 1d12h",
        "simulate story monthly_1_year", "simulate stripe checkout --user payer --product annual.3",
        "simulate stripe renew --user payer", "simulate stripe fail --user payer",
        "simulate stripe recover --user payer", "simulate stripe pause --user payer",
        "simulate stripe resume --user payer", "simulate stripe refund --user payer",
        "simulate stripe dispute --user payer --won", "simulate stripe cancel --user payer",
        "simulate lose --user tourist", "simulate restore --user tourist",
        "simulate consumption-request --user tourist",
        "simulate app-transaction --user tourist", "simulate receipt --user tourist", "inspect {jws}",
        "order MQ7HX2K4TN",
        "reconcile apple --dry-run",
    ]
}
