import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The HTTP client for all calls to other servers: the app's sign-in, Apple's OCSP responder and Stripe (`threats.md`
/// T33).
extension HTTPClient {
    /// The time-out of a request whose answer is small. It covers the whole answer.
    private static let shortDeadline = Duration.seconds(5)

    /// A client that follows no redirects and retries nothing by itself.
    static func outward() -> HTTPClient {
        var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(5)))
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Sends a request and returns the whole answer. One time-out covers connection, head and body. The client's own
    /// time-out does not cover the body, so an answer that arrives in drips would never end.
    ///
    /// - Throws: `HTTPClientError.deadlineExceeded` after `limit`, `NIOTooManyBytesError` for a body of more than
    ///   `bytes`, or another error if no answer arrives.
    func exchange(
        _ request: HTTPClientRequest, within limit: Duration, upTo bytes: Int
    ) async throws -> (head: HTTPClientResponse, body: ByteBuffer) {
        try await withThrowingTaskGroup(of: (head: HTTPClientResponse, body: ByteBuffer).self) { group in
            defer { group.cancelAll() }
            group.addTask {
                let head = try await self.execute(request, timeout: TimeAmount(limit))
                let body = try await head.body.collect(upTo: bytes)
                return (head, body)
            }
            group.addTask {
                try await _Concurrency.Task.sleep(for: limit)
                throw HTTPClientError.deadlineExceeded
            }
            guard let first = try await group.next() else { throw HTTPClientError.deadlineExceeded }
            return first
        }
    }

    /// Sends a request and returns the body of a 200 answer, within five seconds.
    ///
    /// - Throws: The errors of ``exchange(_:within:upTo:)``, and `ServerFiles.Unusable` for another status.
    func body(of request: HTTPClientRequest, upTo bytes: Int) async throws -> [UInt8] {
        let answer = try await exchange(request, within: Self.shortDeadline, upTo: bytes)
        guard answer.head.status == .ok else {
            throw ServerFiles.Unusable(description: "\(request.url): \(answer.head.status)")
        }
        return Array(buffer: answer.body)
    }
}
