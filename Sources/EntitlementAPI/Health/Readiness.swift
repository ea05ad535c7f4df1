/// The result of all readiness checks; the server is ready if every check passed.
package struct Readiness: Hashable, Sendable {
    /// The result of one check.
    package struct Check: Hashable, Sendable {
        package let name: String
        package let isInOrder: Bool
        /// An explanation for operators, without user ids and secrets.
        package let detail: String

        package init(name: String, isInOrder: Bool, detail: String) {
            self.name = name
            self.isInOrder = isInOrder
            self.detail = detail
        }
    }

    /// The version of the program.
    package let version: String
    package let checks: [Check]

    package init(version: String, checks: [Check]) {
        self.version = version
        self.checks = checks
    }

    package var isReady: Bool { checks.allSatisfy(\.isInOrder) }
}
