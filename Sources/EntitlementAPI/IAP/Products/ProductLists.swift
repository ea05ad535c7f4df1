import Entitlements
import Synchronization

/// The lists of products of the catalogue version in force, each made once for its app, stores and language.
///
/// A list is found by a language that the catalogue has, never by the words of a request, so there are no more lists
/// than apps times stores times languages. A newer version takes the place of all of them.
final class ProductLists: Sendable {
    /// What stands in a list, in whichever language.
    private struct Content: Hashable {
        let app: AppID
        let stores: ProductsBody.Stores
    }

    /// A list's content and language; a nil language is that of a list without any text.
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

    /// The list of what `stores` sell of `app`, in the language of `version` that suits `wanted` best. The list
    /// is made under the lock, so that askers at the same time do not each make one.
    ///
    /// - Parameter make: Writes the list in a language; nil where it has no text.
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
