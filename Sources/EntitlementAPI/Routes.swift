import Entitlements
import HTTPTypes
import LedgerStore

/// The URL table.
package enum Routes {
    /// All routes, including those of `gatepass dev`.
    static let all = everywhere + development

    /// The routes that only `gatepass dev` serves. No other path begins with `/dev`.
    package static let development: [Endpoint] =
        (SimulatedAppStoreRoute.all + [
            Endpoint.open(.get, "/dev/clock", ClockRoute.respond),
            Endpoint.open(.post, "/dev/clock", AdvanceClockRoute.respond)
                .allowing(seconds: AdvanceClockRoute.deadlineSeconds),
        ]).map(\.inDevelopmentOnly)

    /// The parameters of a page, of the status, and of a list that is made of a user's ledger.
    private static let page = ["limit", "cursor"]
    private static let status = ["at", "known_at", "history", "explain", "limit", "acts_cursor"]
    private static let purchases = page + ["at", "known_at"]
    private static let held = ["at", "known_at", "explain", "limit", "cursor", "acts_cursor"]

    private static let everywhere: [Endpoint] = [
        .open(.get, "/livez", LivezRoute.respond),
        .open(.get, "/readyz", ReadyzRoute.respond),
        .open(.get, "/metrics", MetricsRoute.respond),
        .open(.get, "/openapi.yaml", OpenAPIRoute.respond).readable(by: .anybody),
        .open(.get, "/openapi/app.yaml", OpenAPIRoute.respondForApps).readable(by: .anybody),
        .open(.get, "/.well-known/jwks.json", KeySetRoute.respond).readable(by: .anybody),

        .open(.get, "/api/iap/apple/products", ProductsRoute.respond).reading(["bundle_id", "source"])
            .readable(by: .anybody),
        .open(.post, "/api/iap/apple/sign-in", rate: .appleSignIn, AppleSignInRoute.respond)
            .readable(by: .listed),
        .signedIn(.post, "/api/iap/apple/adopt", rate: .restore, AdoptRoute.respond),
        .signedIn(.post, "/api/iap/apple/transactions/attach", rate: .attach, AttachRoute.respond)
            .takingTransactions,
        .signedIn(.post, "/api/iap/apple/restore", rate: .restore, RestoreRoute.respond)
            .reading(["status"]).sendingGzip(from: Endpoint.gzipFrom).takingTransactions
            .allowing(bodyBytes: RestoreRoute.bodyLimit, seconds: RestoreRoute.deadlineSeconds),
        .signedIn(.post, "/api/iap/apple/receipts", rate: .restore, ReceiptRoute.respond)
            .sendingGzip(from: Endpoint.gzipFrom)
            .allowing(bodyBytes: ReceiptRoute.bodyLimit, seconds: ReceiptRoute.deadlineSeconds),
        .signedIn(.get, "/api/iap/apple/status", rate: .read, about(StatusRoute.answer))
            .reading(status).sendingGzip(from: StatusRoute.gzipFrom),
        .signedIn(.get, "/api/iap/apple/account-token", rate: .read, AccountTokenRoute.respond),
        .signedIn(.get, "/api/iap/entitlement-token", rate: .read, EntitlementTokenRoute.respond)
            .reading(["bundle_id"]),
        .signedIn(.put, "/api/iap/apple/consumption-consent", rate: .write, ConsumptionConsentRoute.respond),
        .signedIn(.get, "/api/iap/purchases", rate: .read, about(PurchasesRoute.answer))
            .reading(purchases).sendingGzip(from: Endpoint.gzipFrom),

        .signedIn(.get, "/api/credits", rate: .read, about(CreditsRoute.answer)).reading(held),
        .signedIn(.post, "/api/credits/{unit}/spend", rate: .write, isForSpending: true, own(SpendCreditsRoute.answer)),
        .signedIn(
            .post, "/api/credits/{unit}/reservations", rate: .write, isForSpending: true,
            own(ReserveCreditsRoute.answer)),
        .signedIn(
            .post, "/api/credits/reservations/{reservation_id}/commit", rate: .write, isForSpending: true,
            CommitReservationRoute.respond),
        .signedIn(
            .post, "/api/credits/reservations/{reservation_id}/release", rate: .write, isForSpending: true,
            own(ReleaseReservationRoute.answer)),

        .signedIn(.get, "/api/devices", rate: .read, about(DevicesRoute.answer)).reading(held),
        .signedIn(.post, "/api/devices", rate: .write, own(RegisterDeviceRoute.answer)),
        .signedIn(.get, "/api/devices/license/status", rate: .read, about(LicenseStatusRoute.answer)),
        .signedIn(
            .post, "/api/devices/{device_id}/reactivate", rate: .write,
            own(ChangeDeviceRoute.to(.reactivate))),
        .signedIn(
            .post, "/api/devices/{device_id}/suspend", rate: .write, own(ChangeDeviceRoute.to(.suspend))
        ),
        .signedIn(.post, "/api/devices/{device_id}/seen", rate: .write, own(ChangeDeviceRoute.to(.see))),
        .signedIn(.delete, "/api/devices/{device_id}", rate: .write, own(ChangeDeviceRoute.to(.remove))),

        .signedIn(.get, "/api/billing/plan-change", rate: .read, about(PlanChangeRoute.answer))
            .reading(["plan_id", "product_id"]),
        .signedIn(
            .get, "/api/billing/subscriptions/check/{user_id}", rate: .read, orServer: .read,
            SubscriptionCheckRoute.respond),

        .webhook(.post, "/api/billing/webhooks/apple", AppleWebhookRoute.respond)
            .allowing(bodyBytes: AppleWebhookRoute.bodyLimit),
        .webhook(.post, "/api/billing/webhooks/stripe", StripeWebhookRoute.respond)
            .allowing(bodyBytes: StripeWebhookRoute.bodyLimit),

        .server(.get, "/api/admin/users", .read, UsersRoute.respond).reading(page + UsersRoute.parameters),
        .server(.get, "/api/admin/summary", .read, SummaryRoute.respond),
        .server(.get, "/api/admin/users/{user_id}/status", .read, about(StatusRoute.answer))
            .reading(status).sendingGzip(from: StatusRoute.gzipFrom),
        .server(.get, "/api/admin/users/{user_id}/timeline", .read, TimelineRoute.respond).reading(page),
        .server(.get, "/api/admin/users/{user_id}/purchases", .read, about(PurchasesRoute.answer)).reading(purchases),
        .server(.get, "/api/admin/users/{user_id}/credits", .read, about(CreditsRoute.answer)).reading(held),
        .server(
            .post, "/api/admin/users/{user_id}/credits/{unit}/spend", .write,
            idempotentByLedger(SpendCreditsRoute.answer)),
        .server(
            .post, "/api/admin/users/{user_id}/credits/{unit}/reservations", .write,
            idempotentByLedger(ReserveCreditsRoute.answer)),
        .server(
            .post, "/api/admin/users/{user_id}/credits/reservations/{reservation_id}/commit", .write,
            idempotent(CommitReservationRoute.answer)),
        .server(
            .post, "/api/admin/users/{user_id}/credits/reservations/{reservation_id}/release", .write,
            idempotent(ReleaseReservationRoute.answer)),
        .server(.get, "/api/admin/users/{user_id}/devices", .read, about(DevicesRoute.answer)).reading(held),
        .server(.post, "/api/admin/users/{user_id}/devices", .write, idempotent(RegisterDeviceRoute.answer)),
        .server(.get, "/api/admin/users/{user_id}/devices/license/status", .read, about(LicenseStatusRoute.answer)),
        .server(
            .post, "/api/admin/users/{user_id}/devices/{device_id}/reactivate", .write,
            idempotent(ChangeDeviceRoute.to(.reactivate))),
        .server(
            .post, "/api/admin/users/{user_id}/devices/{device_id}/suspend", .write,
            idempotent(ChangeDeviceRoute.to(.suspend))),
        .server(
            .post, "/api/admin/users/{user_id}/devices/{device_id}/seen", .write,
            idempotent(ChangeDeviceRoute.to(.see))),
        .server(
            .delete, "/api/admin/users/{user_id}/devices/{device_id}", .write,
            idempotent(ChangeDeviceRoute.to(.remove))),
        .server(.post, "/api/admin/users/{user_id}/grants", .write, idempotent(GiveGrantRoute.answer)),
        .server(
            .post, "/api/admin/users/{user_id}/grants/{grant_id}/revoke", .write,
            idempotent(WithdrawRoute.grant)),
        .server(.post, "/api/admin/users/{user_id}/bind", .write, idempotent(BindPurchaseRoute.answer)),
        .server(.post, "/api/admin/users/{user_id}/revoke", .write, idempotent(WithdrawRoute.purchase)),
        .server(
            .post, "/api/admin/users/{user_id}/transfer", .write, idempotent(with: "to_user_id", TransferRoute.transfer)
        ),
        .server(
            .post, "/api/admin/users/{user_id}/merge", .write, idempotent(with: "from_user_id", TransferRoute.merge)),
        .server(.post, "/api/admin/users/{user_id}/sign-out", .write, idempotent(SignOutUserRoute.answer)),
        .server(.put, "/api/admin/users/{user_id}/sandbox-tester", .write, idempotent(SandboxTesterRoute.to(true))),
        .server(.delete, "/api/admin/users/{user_id}/sandbox-tester", .write, idempotent(SandboxTesterRoute.to(false))),
        .server(.get, "/api/admin/users/{user_id}/export", .admin, ExportUserRoute.respond),
        .server(.post, "/api/admin/users/{user_id}/erase", .admin, EraseUserRoute.respond),
        .server(.post, "/api/admin/users/{user_id}/make-good", .write, idempotent(GiveGrantRoute.makeGood)),
        .server(.get, "/api/admin/ended-before-attached", .read, LatePassesRoute.respond).reading(page),
        .server(.post, "/api/admin/compensations", .write, CompensationsRoute.respond)
            .allowing(seconds: CompensationsRoute.deadlineSeconds),
        .server(.get, "/api/admin/search", .read, SearchRoute.respond).reading(page + ["q"]),
        .server(.post, "/api/admin/orders/look-up", .read, rate: .lookUp, OrderLookUpRoute.respond).reading([])
            .allowing(seconds: OrderLookUpRoute.deadlineSeconds),
        .server(.get, "/api/admin/sandbox-testers", .read, Lists.sandboxTesters).reading(page),
        .server(.get, "/api/admin/anomalies", .read, AnomaliesRoute.respond).reading(page + ["reason"]),
        .server(.get, "/api/admin/conflicts", .read, Lists.conflicts).reading(page),
        .server(.get, "/api/admin/purchases", .read, RecordedPurchasesRoute.respond)
            .reading(page + RecordedPurchasesRoute.parameters),
        .server(.get, "/api/admin/transactions", .read, Lists.transactions).reading(page),
        .server(.get, "/api/admin/webhooks", .read, DeliveriesRoute.respond)
            .reading(page + ["state", "reason", "user_id", "source", "from", "to"]),
        .server(.post, "/api/admin/webhooks/{delivery_id}/replay", .write, DeliveriesRoute.replay),
        .server(.get, "/api/admin/jobs", .read, JobsRoute.respond).reading(page + ["state"]),
        .server(.post, "/api/admin/jobs/{job_id}/revive", .write, JobsRoute.revive),
        .server(.get, "/api/admin/consumption-requests", .read, ConsumptionRequestsRoute.respond)
            .reading(page + ["state", "user_id"]),
        .server(.get, "/api/admin/reconciliations", .read, ReconciliationsRoute.respond).reading(page),
        .server(.get, "/api/admin/catalog", .read, CatalogueRoute.respond),
        .server(.get, "/api/admin/audit", .audit, AuditRoute.respond).reading(page + AuditRoute.parameters),
        .server(.get, "/api/admin/api-keys", .admin, Lists.apiKeys).reading(page),
        .server(.post, "/api/admin/api-keys", .admin, APIKeyRoute.create),
        .server(.post, "/api/admin/api-keys/{key_id}/revoke", .admin, APIKeyRoute.revoke),
    ]
}
