/// The readiness to serve requests.
package struct Readiness: Hashable, Sendable {
    /// A condition that must be in order.
    package struct Check: Hashable, Sendable {
        package let name: String
        package let isInOrder: Bool
        /// For operators; it names no user and holds no secret.
        package let detail: String

        package init(name: String, isInOrder: Bool, detail: String) {
            self.name = name
            self.isInOrder = isInOrder
            self.detail = detail
        }
    }

    package let checks: [Check]

    package init(checks: [Check]) {
        self.checks = checks
    }

    package var isReady: Bool { checks.allSatisfy(\.isInOrder) }
}
