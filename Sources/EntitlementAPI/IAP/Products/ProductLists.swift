import Entitlements
import Synchronization

/// The product lists of the catalogue version in force, each built once for its app, stores and language.
///
/// Lists are cached by the languages of the catalogue, and not by the languages that requests name. So there are at
/// most apps × stores × languages of them. A newer catalogue version replaces all of them.
final class ProductLists: Sendable {
    /// The app and the stores that a list is about, whatever its language.
    private struct Content: Hashable {
        let app: AppID
        let stores: ProductsBody.Stores
    }

    /// The key of a cached list. The language is nil if the list has no texts.
    private struct Key: Hashable {
        let content: Content
        let language: String?
    }

    /// The lists of one catalogue version.
    private struct State {
        var version: Int?
        /// The languages of each list's texts, in ascending order.
        var languages: [Content: [String]] = [:]
        var bodies: [Key: ProductsBody] = [:]
    }

    private let state = Mutex(State())

    /// The list of the products of `app` that `stores` sell, in the language of `version` that suits `wanted` best. The
    /// list is built under the lock, so that concurrent requests do not each build one.
    ///
    /// - Parameter make: Builds the list in a language, which is nil if the list has no texts.
    func body(
        of app: AppID, soldBy stores: ProductsBody.Stores, in version: CatalogueVersions.Version,
        for wanted: AcceptLanguage, make: (_ language: String?) -> ProductsBody
    ) -> ProductsBody {
        state.withLock { state in
            if state.version != version.number { state = State(version: version.number) }
            let content = Content(app: app, stores: stores)
            let languages = state.languages[content] ?? Self.languages(of: content, in: version.catalogue)
            state.languages[content] = languages
            let key = Key(content: content, language: wanted.best(in: languages))
            let body = state.bodies[key] ?? make(key.language)
            state.bodies[key] = body
            return body
        }
    }

    /// The languages of the titles and descriptions of a list, in ascending order.
    private static func languages(of content: Content, in catalogue: Catalogue) -> [String] {
        let listed = content.stores.products(of: content.app, in: catalogue)
        let texts = listed.flatMap { [$0.titles, $0.descriptions] } + catalogue.tiers.map(\.titles)
        return AcceptLanguage.ordered(Set(texts.flatMap(\.keys)))
    }
}
