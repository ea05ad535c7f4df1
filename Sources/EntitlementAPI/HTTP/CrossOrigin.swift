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

    /// The seconds for which a browser may cache the answer to a preflight: two hours, the longest that Chromium
    /// accepts.
    private static let maximumAge = "7200"
    private static let requestFields = "Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id"
    /// The header fields that a page may read. They are listed by name, because `*` is no wildcard in requests with
    /// credentials.
    private static let answerFields = """
        ETag, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id, Content-Language, \
        Idempotency-Replayed
        """

    /// The origins in the settings, exactly as browsers write them.
    let origins: [String]

    /// Writes into the header fields of an answer which pages may read it, and for a preflight also what pages may
    /// send.
    ///
    /// A preflight is an `OPTIONS` that names an `Origin` and a method. Any other `OPTIONS` is answered as if no page
    /// had asked. `request` is nil if its header could not be read.
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

    /// The value of `Access-Control-Allow-Origin`; nil if the page may not read the answer. If a request has several
    /// `Origin` fields, `origin` is their list, which equals no page's origin.
    private func allowedOrigin(_ readers: Readers, _ origin: String?) -> String? {
        switch readers {
        case .anybody: "*"
        case .listed: origin.flatMap { origin in origins.first { $0.utf8.elementsEqual(origin.utf8) } }
        case .none: nil
        }
    }
}
