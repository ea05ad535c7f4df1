import HTTPTypes

/// The URL table.
enum Routes {
    static let all: [Endpoint] = [
        .open(.get, "/livez", LivezRoute.respond),
        .open(.get, "/readyz", ReadyzRoute.respond),
        .open(.get, "/openapi.yaml", OpenAPIRoute.respond),

        .open(.get, "/api/iap/apple/products", ProductsRoute.respond),
        .signedIn(.post, "/api/iap/apple/transactions/attach", rate: .attach, AttachRoute.respond),
        .signedIn(
            .post, "/api/iap/apple/restore", rate: .restore, bodyLimit: RestoreRoute.bodyLimit,
            deadlineSeconds: 60, RestoreRoute.respond),
        .signedIn(.get, "/api/iap/apple/status", rate: .read, StatusRoute.respond),
        .signedIn(.get, "/api/iap/apple/account-token", rate: .read, AccountTokenRoute.respond),
        .signedIn(.get, "/api/iap/purchases", rate: .read, PurchasesRoute.respond),

        .signedIn(.get, "/api/billing/subscriptions/check/{user_id}", rate: .read, SubscriptionCheckRoute.respond),
    ]
}
