package import Entitlements

/// The unreadable content of a notification: a container that did not exist when this was written, several containers,
/// or a member of another type than Apple documents. Only its app and its environment count.
package struct UnreadableContent: Hashable, Sendable {
    /// Nil where no app is named.
    package let bundleId: String?
    package let appAppleId: Int64?
    /// Production where none is named; nil if it is none of ours.
    package let environment: StoreEnvironment?

    /// The container is the first object that names an app.
    init(in payload: PayloadReader) {
        let container = payload.objects.first { $0.has("bundleId") } ?? payload
        var reader = TolerantReader(container)
        bundleId = reader.text("bundleId")
        appAppleId = reader.integer("appAppleId")
        environment = container.has("environment") ? container.environment("environment") : .production
    }
}
