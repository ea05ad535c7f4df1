import HTTPTypes

/// The pages of other origins that may read an answer, and how browsers are told (CORS, in the Fetch standard).
package struct CrossOrigin: Sendable {
    /// The pages that may read what an endpoint answers.
    package enum Readers: Hashable, Sendable {
        /// Pages of any origin: the answer is a public document.
        case anybody
        /// Pages of the origins in the settings: a user's token goes with the request.
        case listed
        case none
    }

    /// How long a browser may rely on the answer to a preflight; none relies on it for longer than two hours.
    private static let maximumAge = "7200"
    private static let requestFields = "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id"
    /// The fields that a page may read, by their names: `*` stands for nothing where a token goes with the request.
    private static let answerFields = """
        ETag, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id, Content-Language, \
        Idempotency-Replayed
        """

    /// The origins in the settings, exactly as browsers write them.
    let origins: [String]

    /// Says in the fields of an answer which pages may read it, and to a preflight also what they may send.
    ///
    /// A preflight is an `OPTIONS` that names an `Origin` and a method. Any other `OPTIONS` is answered as if no page
    /// had asked. There is no `request` where its header could not be read.
    func tell(_ readers: Readers, answering request: HTTPRequest?, in fields: inout HTTPFields) {
        if readers == .listed { fields[.vary] = fields[.vary].map { $0 + ", Origin" } ?? "Origin" }
        let isOptions = request?.method == .options
        let isPreflight =
            isOptions && request?.headerFields[.origin] != nil
            && request?.headerFields[.accessControlRequestMethod] != nil
        let origin = allowedOrigin(readers, request?.headerFields[.origin])
        guard isPreflight || !isOptions, let origin else { return }
        fields[.accessControlAllowOrigin] = origin
        guard isPreflight else {
            fields[.accessControlExposeHeaders] = Self.answerFields
            return
        }
        fields[.accessControlAllowMethods] = fields[.allow]
        fields[.accessControlAllowHeaders] = Self.requestFields
        fields[.accessControlMaxAge] = Self.maximumAge
    }

    /// The origin whose pages may read. Of several `Origin` fields `origin` is the list, and no page has that.
    private func allowedOrigin(_ readers: Readers, _ origin: String?) -> String? {
        switch readers {
        case .anybody: "*"
        case .listed: origin.flatMap { origin in origins.first { $0.utf8.elementsEqual(origin.utf8) } }
        case .none: nil
        }
    }
}
