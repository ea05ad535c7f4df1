import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The way of every call out: to the login, to Apple's responder and to Stripe (`threats.md` T33).
extension HTTPClient {
    /// Time for a whole answer of which little is read.
    private static let shortDeadline = Duration.seconds(5)

    /// A client that whoever is asked sends nowhere else, and that tries nothing again by itself.
    static func outward() -> HTTPClient {
        var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(5)))
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// The whole answer to a request. A single deadline covers connection, head and body: the client's own covers no
    /// body, so an answer that drips would never end.
    ///
    /// - Throws: `HTTPClientError.deadlineExceeded` after `limit`, `NIOTooManyBytesError` for a body of more than
    ///   `bytes`, and whatever else keeps an answer from arriving.
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

    /// The body of an answer of 200, within five seconds.
    ///
    /// - Throws: As ``exchange(_:within:upTo:)``, and `ServerFiles.Unusable` for another status.
    func body(of request: HTTPClientRequest, upTo bytes: Int) async throws -> [UInt8] {
        let answer = try await exchange(request, within: Self.shortDeadline, upTo: bytes)
        guard answer.head.status == .ok else {
            throw ServerFiles.Unusable(description: "\(request.url): \(answer.head.status)")
        }
        return Array(buffer: answer.body)
    }
}
