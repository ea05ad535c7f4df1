import Entitlements
import HTTPTypes
import Hummingbird

/// `GET /api/iap/apple/products`: what an app sells through Apple, in the client's language.
enum ProductsRoute {
    /// - Throws: `invalid_request` when an app must be named, `not_found` for one that is not sold in.
    static func respond(to call: OpenCall) async throws(Problem) -> Response {
        let version = call.api.service.catalogue.inForce(at: call.api.now())
        let app = try app(named: try Query(call.request.uri.query).text("bundle_id"), in: version.catalogue)
        let languages = AcceptLanguage(call.request.headers[.acceptLanguage])
        let body = ProductsBody(version, app: app, languages: languages)
        var fields: HTTPFields = [.cacheControl: "public, no-cache", .vary: "Accept-Language"]
        if !body.languages.isEmpty { fields[.contentLanguage] = body.languages.joined(separator: ", ") }
        return .validated(
            body.bytes, EntityTag(of: body.bytes), ifNoneMatch: call.request.headers[.ifNoneMatch], fields)
    }

    /// The app that is asked about; it may be left out while there is only one.
    private static func app(named bundleID: String?, in catalogue: Catalogue) throws(Problem) -> AppID {
        guard let bundleID else {
            guard catalogue.apps.count == 1 else {
                throw .invalidRequest("There are several apps; one must be named.", at: "?bundle_id")
            }
            return catalogue.apps[0].id
        }
        let id = AppID(bundleID)
        guard catalogue.apps.contains(where: { $0.id == id }) else {
            throw Problem(.notFound, "No app has this bundle id.")
        }
        return id
    }
}
