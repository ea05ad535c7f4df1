import AsyncHTTPClient

extension HTTPClient {
    /// Asks the login for its keys, and Apple about certificates: whoever is asked sends it nowhere else
    /// (`threats.md` T33).
    static func outward() -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
