package import Entitlements

/// A question to the App Store Server API, and the rate at which Apple answers it (`apple.md` §5.3).
package enum AppStoreQuestion: Hashable, Sendable {
    /// Get Transaction History v2: a page of all transactions of the Apple account that made `transaction`.
    ///
    /// - Parameters:
    ///   - transaction: Any transaction id of the account.
    ///   - revision: The revision of the page before; nil for the first page.
    case history(of: String, after: String?)

    /// The questions of this kind that Apple answers in a second in Production, for each app.
    package var ratePerSecond: Int {
        switch self {
        case .history: 50
        }
    }

    /// The name of the kind, for metrics and logs.
    package var name: String {
        switch self {
        case .history: "history"
        }
    }

    /// The path and query under the base address.
    package var path: String {
        switch self {
        case .history(let transaction, let revision):
            "/inApps/v2/history/\(escaped(transaction))?sort=ASCENDING"
                + (revision.map { "&revision=\(escaped($0))" } ?? "")
        }
    }

    /// The text with every byte percent-encoded that is not unreserved (RFC 3986 §2.3).
    private func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isUnreserved = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
            guard !isUnreserved else { return String(character) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

/// Asks the App Store Server API of an environment.
package protocol AppStoreServer: Sendable {
    /// The body of Apple's answer to a question about an app.
    ///
    /// - Throws: ``AppStoreServerFailure``.
    func ask(
        _ question: AppStoreQuestion, about app: AppID, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> [UInt8]
}

extension AppStoreServer {
    /// A page of the history of the Apple account that made `transaction`. Nothing in it is verified yet.
    ///
    /// - Throws: ``AppStoreServerFailure``.
    package func history(
        of transaction: String, after revision: String?, about app: AppID, in environment: StoreEnvironment
    ) async throws(AppStoreServerFailure) -> HistoryPage {
        let body = try await ask(.history(of: transaction, after: revision), about: app, in: environment)
        guard let page = HistoryPage(body) else { throw .unreadable }
        return page
    }
}
