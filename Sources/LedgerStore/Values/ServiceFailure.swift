package import MariaDB

/// A fault of the database, as callers of this module see it. After every fault a client may send the same request
/// again without harm.
@dynamicMemberLookup
package struct ServiceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    private let error: DatabaseError

    init(_ error: DatabaseError) { self.error = error }

    /// The fault of a request that comes before the database has been opened.
    package static let notOpen = ServiceFailure(DatabaseError(.unavailable, statement: "open"))

    /// True if the same request may succeed later. Any other fault is the database's refusal and does not pass by
    /// itself.
    package var isPassing: Bool { error.isPassing }
    /// True if an answer was not stored, because its claim was taken over or erased with a person.
    package var isGivenUp: Bool { error.cause == .givenUp }
    /// True if the caller left before the answer.
    package var isCancelled: Bool { error.cause == .cancelled }
    package var description: String { error.description }

    package subscript<Value>(dynamicMember member: KeyPath<DatabaseError, Value>) -> Value { error[keyPath: member] }
}

extension Pool {
    /// Runs `body` once on a connection, like `Pool.with`, but throws a ``ServiceFailure``.
    @discardableResult
    func ask<Answer: Sendable>(
        _ body: @Sendable (Session) throws(DatabaseError) -> Answer
    ) async throws(ServiceFailure) -> Answer {
        do {
            return try await with(body)
        } catch {
            throw ServiceFailure(error)
        }
    }

    /// Runs `body` in a transaction, again if needed, like `Pool.transaction`, but throws a ``ServiceFailure``.
    @discardableResult
    func commit<Answer: Sendable>(
        _ body: @Sendable (Session) throws(DatabaseError) -> Answer
    ) async throws(ServiceFailure) -> Answer {
        do {
            return try await transaction(body)
        } catch {
            throw ServiceFailure(error)
        }
    }
}
