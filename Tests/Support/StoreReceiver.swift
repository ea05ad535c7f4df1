import Glibc
import Synchronization

/// A small HTTP server on 127.0.0.1, in the place of Gatepass or of a store: it keeps what comes and answers what it is
/// told to.
package final class StoreReceiver: Sendable {
    /// One request, read whole.
    package struct Request: Sendable {
        /// Such as `POST /api/billing/webhooks/apple`.
        package let line: String
        package let header: String
        package let body: String
    }

    /// A status and a body of JSON, and further header fields.
    package struct Answer: Sendable {
        package let status: Int
        package let body: String
        package let fields: [String: String]

        package init(_ status: Int, _ body: String, fields: [String: String] = [:]) {
            self.status = status
            self.body = body
            self.fields = fields
        }
    }

    /// What its thread shares.
    private struct State {
        var requests: [Request] = []
        var isStopped = false
    }

    package let port: Int
    private let listener: Int32
    private let answer: @Sendable (Request, _ before: [Request]) -> Answer
    private let state = Mutex(State())

    /// Listens and answers each request by `answer`, which is also handed those before. Throws `ChildProcess.Failure`
    /// with an errno when it cannot listen.
    package init(answering answer: @escaping @Sendable (Request, _ before: [Request]) -> Answer) throws {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (descriptor, size) = (listener, length)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard bound else {
            close(descriptor)
            throw ChildProcess.Failure(program: "receiver", code: errno)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        let box = Unmanaged.passRetained(self)
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                Unmanaged<StoreReceiver>.fromOpaque(raw).takeRetainedValue().serve()
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    /// What has come, in its order.
    package var requests: [Request] { state.withLock { $0.requests } }

    /// Refuses connections from now on.
    package func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        if isFirst { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    private func serve() {
        while !state.withLock({ $0.isStopped }) {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            if let request = Self.request(from: connection) {
                let before = requests
                state.withLock { $0.requests.append(request) }
                Self.write(answer(request, before), to: connection)
            }
            close(connection)
        }
        close(listener)
    }

    /// Nil when the connection ends before the request does.
    private static func request(from connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let blank = Array("\r\n\r\n".utf8)
        while true {
            if let end = bytes.indices.first(where: { bytes[$0...].starts(with: blank) }) {
                let header = String(decoding: bytes[..<end], as: UTF8.self)
                let lines = header.split(separator: "\r\n")
                let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
                let count = length.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
                let body = bytes[(end + blank.count)...]
                if body.count >= count {
                    let words = lines.first?.split(separator: " ").prefix(2).joined(separator: " ") ?? ""
                    return Request(line: words, header: header, body: String(decoding: body, as: UTF8.self))
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    private static func write(_ answer: Answer, to connection: Int32) {
        let fields = answer.fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        let text = """
            HTTP/1.1 \(answer.status) Answer\r
            Content-Type: application/json\r
            Content-Length: \(answer.body.utf8.count)\r
            \(fields)Connection: close\r
            \r
            \(answer.body)
            """
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
