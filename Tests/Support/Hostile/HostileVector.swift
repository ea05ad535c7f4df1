package import AppStore

/// A text that must be refused, one change away from one that is accepted, and what for.
package struct HostileVector: Sendable {
    /// The kind of attack.
    package let family: String
    /// The one change.
    package let name: String
    /// What is sent as a transaction.
    package let jws: String
    /// The only right answer.
    package let expected: EvidenceError.Reason

    package init(_ family: String, _ name: String, _ jws: String, _ expected: EvidenceError.Reason) {
        self.family = family
        self.name = name
        self.jws = jws
        self.expected = expected
    }
}
