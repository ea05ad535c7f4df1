import Entitlements
import Synchronization

/// The lists of products of the catalogue version in force, each made once for its app and language.
///
/// A list is found by a language that the catalogue has, never by the words of a request, so there are no more lists
/// than apps times languages. A newer version takes the place of all of them.
final class ProductLists: Sendable {
    /// A list's app and language; a nil language is that of an app without any text.
    private struct Key: Hashable {
        let app: AppID
        let language: String?
    }

    /// The lists of one version.
    private struct State {
        var version: Int?
        /// The languages of each app's texts, in ascending order.
        var languages: [AppID: [String]] = [:]
        var bodies: [Key: ProductsBody] = [:]
    }

    private let state = Mutex(State())

    /// The list of `app` in the language of `version` that suits `wanted` best. The list is made under the lock, so
    /// that askers at the same time do not each make one.
    ///
    /// - Parameter make: Writes the list in a language; nil where the app has no text.
    func body(
        of app: AppID, in version: CatalogueVersions.Version, for wanted: AcceptLanguage,
        make: (_ language: String?) -> ProductsBody
    ) -> ProductsBody {
        state.withLock { state in
            if state.version != version.number { state = State(version: version.number) }
            let languages = state.languages[app] ?? version.catalogue.languages(of: app)
            state.languages[app] = languages
            let key = Key(app: app, language: wanted.best(in: languages))
            let body = state.bodies[key] ?? make(key.language)
            state.bodies[key] = body
            return body
        }
    }
}

extension Catalogue {
    /// The languages of the texts of what `app` sells through Apple, in ascending order.
    fileprivate func languages(of app: AppID) -> [String] {
        let sold = products.lazy.filter { $0.app == app && $0.source == .appleIAP }
        return AcceptLanguage.ordered(Set(sold.flatMap { [$0.titles.keys, $0.descriptions.keys].joined() }))
    }
}
