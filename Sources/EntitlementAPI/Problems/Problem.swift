package import Entitlements
package import HTTPTypes

/// The answer to a request that did not succeed (RFC 9457). It always has a code, and never says who owns what.
package struct Problem: Error, Hashable, Sendable {
    /// A field of the request that is not as it should be.
    package struct FieldError: Hashable, Sendable {
        /// `#/…` into the body (RFC 6901 §6), `?name` for a parameter, or the name of a header.
        package let pointer: String
        package let detail: String
    }

    package let code: ProblemCode
    /// The status; the code's own, unless the endpoint says otherwise.
    package var status: HTTPResponse.Status
    /// For people; it names fields, never their values.
    package let detail: String
    /// The defect of the evidence, under `evidence_invalid`.
    package var reason: String?
    /// When the client should send the request again.
    package private(set) var retry: Retry
    /// True if the request was about transactions. The body then tells the app to finish none of them.
    var concernsTransactions = false
    /// The numbers of allowed and active devices, under `seat_limit_reached`.
    package var seats: DeviceSeats?
    package var errors: [FieldError] = []
    /// Header fields: the language of the texts, and what the status requires: a challenge, `Allow`, `Retry-After`.
    package var fields: HTTPFields = [.contentLanguage: "en"]
    /// True if the connection ends with this answer, because the rest of the request will not be read.
    package var closesConnection = false

    package init(_ code: ProblemCode, _ detail: String) {
        self.init(code, detail, retry: Retry(after: code))
    }

    init(_ code: ProblemCode, _ detail: String, retry: Retry) {
        self.code = code
        status = code.status
        self.detail = detail
        self.retry = retry
    }

    /// The seconds that the client should wait before it sends the request again; nil if that is not known.
    var retryAfterSeconds: Int? { fields[.retryAfter].flatMap { Int($0) } }

    // MARK: The common ones

    static func invalidRequest(_ detail: String, at pointer: String) -> Problem {
        var problem = Problem(.invalidRequest, detail)
        problem.errors = [FieldError(pointer: pointer, detail: detail)]
        return problem
    }

    static let notFound = Problem(.notFound, "No resource has this path.")

    static let noAppleAccounts = Problem(
        .notFound, "Apple accounts do not sign in here: auth.apple_accounts.enabled is not set.")

    /// The problem of a body over its limit; the rest of the body is not read.
    static func bodyTooLarge(limit: Int) -> Problem {
        var problem = Problem(.payloadTooLarge, "The body may have \(limit) bytes.")
        problem.closesConnection = true
        return problem
    }

    /// The problem of a request that broke off before its end.
    static let bodyIncomplete: Problem = {
        var problem = Problem(.bodyIncomplete, "The request did not arrive whole.")
        problem.closesConnection = true
        return problem
    }()

    static func methodNotAllowed(_ allowed: String) -> Problem {
        var problem = Problem(.methodNotAllowed, "Here one may use \(allowed).")
        problem.fields[.allow] = allowed
        return problem
    }

    static func unavailable(_ detail: String, retryAfterSeconds: Int) -> Problem {
        var problem = Problem(.unavailable, detail)
        problem.fields[.retryAfter] = String(max(1, retryAfterSeconds))
        return problem
    }

    /// The problem of a request that was not answered within the time of its route.
    static let tookTooLong = unavailable("The request took too long.", retryAfterSeconds: 5)

    static let idempotencyKeyReused = Problem(
        .idempotencyKeyReused, "The Idempotency-Key came before with another method, path or body.")

    static let idempotencyInProgress: Problem = {
        var problem = Problem(.idempotencyInProgress, "A request with this Idempotency-Key has no answer yet.")
        problem.fields[.retryAfter] = "1"
        return problem
    }()

    /// The problem of an unexpected error. The client sees `unavailable`, and operators find the error in the log.
    static let unexpected = unavailable("The request could not be answered.", retryAfterSeconds: 5)

    // MARK: Wire

    /// The members in the order of RFC 9457.
    func body(requestID: String) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("type", "urn:gatepass:problem:" + code.rawValue)
        json.member("title", code.title)
        json.member("status", status.code)
        json.member("detail", detail)
        json.member("code", code.rawValue)
        json.member("request_id", requestID)
        if concernsTransactions { json.member("finish", false) }
        json.member("retry", retry.rawValue)
        if let retryAfterSeconds { json.member("retry_after", retryAfterSeconds) }
        if let reason { json.member("reason", reason) }
        if let seats {
            json.member("allowed", seats.allowed)
            json.member("active", seats.active)
        }
        if !errors.isEmpty {
            json.name("errors")
            json.array(errors) { json, error in
                json.beginObject()
                json.member("pointer", error.pointer)
                json.member("detail", error.detail)
                json.endObject()
            }
        }
        json.endObject()
        return json.bytes
    }
}
