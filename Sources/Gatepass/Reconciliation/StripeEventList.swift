import AsyncHTTPClient
import Entitlements
import Foundation
import NIOCore
import NIOHTTP1
import StripeBilling

/// Stripe's list of events, read page by page with the account's API key (`stripe.md` §6).
struct StripeEventList {
    /// The reason why a page cannot be read. No message contains the key or Stripe's own text, which may quote a part
    /// of the key.
    enum Failure: Error, CustomStringConvertible {
        case keyNotAccepted
        case keyMayNotRead
        case refused(status: UInt, isGoingOn: Bool)
        /// Every retry failed too.
        case unavailable(String)
        case unreadable(String)

        var description: String {
            switch self {
            case .keyNotAccepted: "Stripe does not accept stripe.api_key (401)"
            case .keyMayNotRead: "Stripe does not let stripe.api_key read events (403): give the key that right"
            case .refused(let status, false): "Stripe answered \(status)"
            case .refused(let status, true):
                "Stripe answered \(status): it may not know the event of --after, which has to be of the last 30 days, "
                    + "of the account and of the mode that the key is for"
            case .unavailable(let reason): "Stripe cannot be asked: \(reason)"
            case .unreadable(let defect): "Stripe's list of events cannot be read: \(defect)"
            }
        }
    }

    private static let standardAddress = "https://api.stripe.com"
    /// The most events that Stripe lists on one page.
    private static let pageSize = 100
    private static let maximumPage = 32 << 20
    /// The time-out of one page, in seconds.
    private static let deadline = 10
    /// The pauses between retries when Stripe does not say how long to wait.
    private static let pauses: [Duration] = [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2)]
    /// The longest wait that Stripe may ask for, in seconds. A longer one ends the call with an error.
    private static let longestWaitSeconds: Int64 = 60

    private let client: HTTPClient
    private let key: Secret
    private let address: WebAddress?
    private let since: Instant?

    /// Runs `body` with the list of events of the account of `key`, from `since` on if it is given.
    ///
    /// - Parameter address: The base address of the API; nil for Stripe's own.
    /// - Throws: The error of `body`.
    static func reading<Answer>(
        with key: Secret, at address: WebAddress?, since: Instant?,
        _ body: (StripeEventList) async throws -> Answer
    ) async throws -> Answer {
        let client = HTTPClient.outward()
        let answer: Result<Answer, any Error>
        do {
            answer = .success(try await body(Self(client: client, key: key, address: address, since: since)))
        } catch {
            answer = .failure(error)
        }
        try await client.shutdown()
        return try answer.get()
    }

    /// Reads the page after the event `end`, or the first page. A passing fault is retried a few times.
    ///
    /// - Throws: ``Failure``.
    func page(after end: String?) async throws(Failure) -> EventPage {
        let request = try request(after: end)
        var passing = ""
        for pause in Self.pauses.map(Optional.some) + [nil] {
            switch try await attempt(request, isGoingOn: end != nil) {
            case .page(let page): return page
            case .passing(let reason, let wait):
                passing = reason
                if let pause { try? await Task.sleep(for: wait ?? pause) }  // cancelled: it is tried at once
            }
        }
        throw .unavailable(passing)
    }

    /// The result of one attempt.
    private enum Attempt {
        case page(EventPage)
        /// A fault that may pass, and the wait that Stripe asks for.
        case passing(String, wait: Duration?)
    }

    private func request(after end: String?) throws(Failure) -> HTTPClientRequest {
        guard var url = URLComponents(string: address?.text ?? Self.standardAddress) else {
            throw .unavailable("stripe.api_base_url is no URL")
        }
        url.path = (url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path) + "/v1/events"
        url.queryItems = [
            URLQueryItem(name: "limit", value: String(Self.pageSize)),
            since.map { URLQueryItem(name: "created[gte]", value: String($0.milliseconds / 1_000)) },
            end.map { URLQueryItem(name: "starting_after", value: $0) },
        ].compactMap(\.self)
        var request = HTTPClientRequest(url: url.string ?? Self.standardAddress)
        request.headers.add(name: "Authorization", value: "Bearer \(key.text)")
        return request
    }

    private func attempt(_ request: HTTPClientRequest, isGoingOn: Bool) async throws(Failure) -> Attempt {
        let (response, body): (HTTPClientResponse, ByteBuffer)
        do {
            (response, body) = try await client.exchange(
                request, within: .seconds(Self.deadline), upTo: Self.maximumPage)
        } catch is NIOTooManyBytesError {
            throw .unreadable("a page is longer than \(Self.maximumPage >> 20) MiB")
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            throw .unavailable("a page has not come whole in \(Self.deadline) seconds")
        } catch {
            return .passing("\(error)", wait: nil)
        }
        switch response.status.code {
        case 200: return .page(try Self.page(body))
        case 401: throw .keyNotAccepted
        case 403: throw .keyMayNotRead
        case 429, 500...599:
            let seconds = response.headers.first(name: "Retry-After").flatMap { Int64($0) }.map { max($0, 0) }
            if let seconds, seconds > Self.longestWaitSeconds {
                throw .unavailable("it answered \(response.status.code), and that it can be in \(seconds) seconds")
            }
            return .passing("it answered \(response.status.code)", wait: seconds.map { .seconds($0) })
        default: throw .refused(status: response.status.code, isGoingOn: isGoingOn)
        }
    }

    private static func page(_ body: ByteBuffer) throws(Failure) -> EventPage {
        do throws(EventPage.Malformed) {
            return try EventPage(Array(buffer: body))
        } catch {
            throw .unreadable(error.defect)
        }
    }
}
