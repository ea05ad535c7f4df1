package import MariaDB

/// A fault of the database as it leaves this module. After every fault, what a client sent may be sent again without
/// harm.
@dynamicMemberLookup
package struct ServiceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    private let error: DatabaseError

    init(_ error: DatabaseError) { self.error = error }

    /// Before the database has been opened.
    package static let notOpen = ServiceFailure(DatabaseError(.unavailable, statement: "open"))

    /// True if the same may succeed later; a fault that does not pass by itself is the database's refusal.
    package var isPassing: Bool { error.isPassing }
    /// True if an answer is not kept because its claim was erased with a person, or taken over.
    package var isGivenUp: Bool { error.cause == .givenUp }
    package var description: String { error.description }

    package subscript<Value>(dynamicMember member: KeyPath<DatabaseError, Value>) -> Value { error[keyPath: member] }
}

extension Pool {
    /// Runs `body` on a connection, once, as `with` does.
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

    /// Runs `body` in a transaction, again if need be, as `transaction` does.
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
