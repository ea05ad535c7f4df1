import Dispatch
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

    /// How much of an answer is sent: after `nothing`, `head` and `half` of the body the connection stays open and
    /// silent. A `drip` is the body at a byte a second.
    package enum Pace: CaseIterable, Sendable { case whole, nothing, head, half, drip }

    /// A status and a body of JSON, and further header fields.
    package struct Answer: Sendable {
        package let status: Int
        package let body: String
        package let fields: [String: String]
        package let pace: Pace

        package init(_ status: Int, _ body: String, fields: [String: String] = [:], at pace: Pace = .whole) {
            self.status = status
            self.body = body
            self.fields = fields
            self.pace = pace
        }
    }

    /// What its thread shares.
    private struct State {
        var requests: [Request] = []
        var isStopped = false
        /// Connections that wait for the rest of an answer.
        var stalled: [Int32] = []
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

    /// Refuses connections from now on, and ends those that stall.
    package func stop() {
        let isFirst = state.withLock { state in
            defer { (state.isStopped, state.stalled) = (true, []) }
            state.stalled.forEach { close($0) }
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
                send(answer(request, before), to: connection)
            } else {
                close(connection)
            }
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

    private func send(_ answer: Answer, to connection: Int32) {
        let body = Array(answer.body.utf8)
        let head = Self.head(of: answer)
        switch answer.pace {
        case .whole:
            Self.write(head + body, to: connection)
            close(connection)
            return
        case .nothing: break
        case .head: Self.write(head, to: connection)
        case .half: Self.write(head + body.prefix(body.count / 2), to: connection)
        case .drip:
            Self.write(head, to: connection)
            Self.drip(body, to: connection)
            return
        }
        state.withLock { $0.stalled.append(connection) }
    }

    private static func head(of answer: Answer) -> [UInt8] {
        let fields = answer.fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        let text = """
            HTTP/1.1 \(answer.status) Answer\r
            Content-Type: application/json\r
            Content-Length: \(answer.body.utf8.count)\r
            \(fields)Connection: close\r
            \r

            """
        return Array(text.utf8)
    }

    /// False when nobody takes it any more.
    @discardableResult
    private static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends a byte a second on a queue of its own, until nobody takes them, and closes.
    private static func drip(_ bytes: [UInt8], to connection: Int32) {
        DispatchQueue(label: "drip").async {
            for byte in bytes {
                guard write([byte], to: connection) else { break }
                sleep(1)
            }
            close(connection)
        }
    }
}
