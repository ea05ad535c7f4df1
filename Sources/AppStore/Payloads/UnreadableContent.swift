package import Entitlements

/// The content of a notification that cannot be read. It has an unknown kind of object, several objects, or a member of
/// another type than Apple documents. Only its app and its environment are read.
package struct UnreadableContent: Hashable, Sendable {
    /// Nil if no app is named.
    package let bundleId: String?
    package let appAppleId: Int64?
    /// The environment: Production if none is named; nil if it is neither Sandbox nor Production.
    package let environment: StoreEnvironment?

    /// Reads app and environment from the first member object that names an app, else from the payload itself.
    init(in payload: PayloadReader) {
        let container = payload.objects.first { $0.has("bundleId") } ?? payload
        var reader = TolerantReader(container)
        bundleId = reader.text("bundleId")
        appAppleId = reader.integer("appAppleId")
        environment = container.has("environment") ? container.environment("environment") : .production
    }
}
