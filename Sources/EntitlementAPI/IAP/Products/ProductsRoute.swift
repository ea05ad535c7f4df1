import Entitlements
import HTTPTypes
import Hummingbird

/// `GET /api/iap/apple/products`: what an app sells, in the client's language.
enum ProductsRoute {
    /// - Throws: `invalid_request` if several apps are sold and none is named, or for an unknown `source`; `not_found`
    ///   for an app that the catalogue does not have.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        let version = call.api.catalogue.inForce(at: call.now)
        let query = try Query(call.request.uri.query)
        let app = try query.app(of: version.catalogue)
        let named: ProductsBody.Stores? = try query.choice("source")
        let stores = named ?? .appleIAP
        let wanted = AcceptLanguage(call.request.headers[.acceptLanguage])
        let body = call.api.productLists.body(of: app, soldBy: stores, in: version, for: wanted) { language in
            ProductsBody(version, app: app, soldBy: stores, language: language)
        }
        var fields: HTTPFields = [.cacheControl: "public, no-cache", .vary: "Accept-Language"]
        if !body.languages.isEmpty { fields[.contentLanguage] = body.languages.joined(separator: ", ") }
        return .validated(body.bytes, body.entityTag, ifNoneMatch: call.request.headers[.ifNoneMatch], fields)
    }
}
