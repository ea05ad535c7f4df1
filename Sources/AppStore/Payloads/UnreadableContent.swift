package import Entitlements

/// What a notification brings that cannot be read: a container that did not exist when this was written, several, or a
/// member of another type than Apple documents. Of it counts only what tells whose it is.
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
