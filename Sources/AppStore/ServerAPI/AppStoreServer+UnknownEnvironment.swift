package import Entitlements

extension AppStoreServer {
    /// The body of Apple's answer to a question about something whose environment is not known, and the environment
    /// that answered.
    ///
    /// Production is asked first. The Sandbox is asked where Production does not know the transaction, or does not
    /// accept the key: so it answers for an app that was never approved (`apple.md` §9.3).
    ///
    /// - Throws: ``AppStoreServerFailure``: that of the environment that was asked last.
    package func ask(
        _ question: AppStoreQuestion, about app: AppID
    ) async throws(AppStoreServerFailure) -> (body: [UInt8], environment: StoreEnvironment) {
        do throws(AppStoreServerFailure) {
            let body = try await ask(question, about: app, in: .production)
            return (body, .production)
        } catch {
            guard error == .keyNotAccepted || error == .refused(code: Self.unknownTransaction) else { throw error }
            let body = try await ask(question, about: app, in: .sandbox)
            return (body, .sandbox)
        }
    }

    private static var unknownTransaction: Int { 4_040_010 }
}
