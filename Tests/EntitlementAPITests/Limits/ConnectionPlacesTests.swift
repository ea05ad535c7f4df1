import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Support
import Testing

@testable import EntitlementAPI

/// Who holds a place for connections, and who has to give it up (`threats.md` T15).
struct ConnectionPlacesTests {
    private static let get = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `when places are short the connection that is idle for longest is closed, and newcomers are answered`()
        async throws
    {
        var limits = ServerLimits()
        limits.connections = 8
        try await TestServer.run(limits: limits) { server in
            // More than there are places for, without a request or after one.
            for text in ["", Self.get] {
                try await RawExchange.sendWithoutReading(text, connections: 12, to: server.port) {
                    let (answer, _) = try await RawExchange.send([Self.get], to: server.port, patience: .seconds(5))
                    #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
                }
            }
        }
    }

    @Test func `a connection with a request under way keeps its place, one without gives it to a newcomer`()
        async throws
    {
        var limits = ServerLimits()
        limits.connections = 2
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let (releases, released) = AsyncStream.makeStream(of: Void.self)
        let held = Endpoint.open(.get, "/held") { _ throws(Problem) in
            arrived.yield()
            for await _ in releases { break }
            return .html("held")
        }
        try await TestServer.run(limits: limits, adding: [held]) { server in
            let request = "GET /held HTTP/1.1\r\nHost: x\r\n\r\n"
            async let first = RawExchange.send([request], to: server.port, patience: .seconds(25))
            for await _ in arrivals { break }
            async let idle = RawExchange.send([], to: server.port, patience: .seconds(25))
            let newcomer = try await RawExchange.send([Self.get], to: server.port, patience: .seconds(25))
            #expect(newcomer.text.hasPrefix("HTTP/1.1 200 "), "\(newcomer.text)")
            let (silence, isClosed) = try await idle
            #expect(silence.isEmpty && isClosed)
            released.yield()
            #expect(try await first.text.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `while all places are taken an answer closes its connection`() async throws {
        var limits = ServerLimits()
        limits.connections = 1
        try await TestServer.run(limits: limits) { server in
            let (answer, isClosed) = try await RawExchange.send([Self.get], to: server.port)
            #expect(isClosed && answer.lowercased().contains("connection: close"), "\(answer)")
        }
    }

    /// Counts what is read from the socket.
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        var count = 0

        func read(context: ChannelHandlerContext) { count += 1 }
    }

    @Test func `of a body that nobody asks for one read more than 16 KiB come in, and the rest when it is wanted`()
        throws
    {
        let reads = Reads()
        let codec = HTTP1ToHTTPServerCodec(secure: false)
        let settings = ConnectionGuard.Settings(
            limits: ServerLimits(), table: RouteTable([]), places: ConnectionPlaces(maximum: 2),
            crossOrigin: CrossOrigin(origins: []), newRequestID: { "" })
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([reads, codec, ConnectionGuard(settings)])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequestHead(
            version: .http1_1, method: .POST, uri: "/", headers: ["Host": "x", "Content-Length": "100000"])
        let part = HTTPServerRequestPart.body(ByteBuffer(repeating: 0, count: 16 * 1024))
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        try channel.writeInbound(part)
        let before = reads.count
        channel.read()
        #expect(reads.count == before + 1)
        try channel.writeInbound(part)
        let held = reads.count
        for _ in 0..<3 { channel.read() }
        #expect(reads.count == held)
        channel.pipeline.triggerUserOutboundEvent(ConnectionGuard.BodyWanted(), promise: nil)
        #expect(reads.count == held + 1)
        channel.read()
        #expect(reads.count == held + 2)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
