import NIOCore
import NIOPosix

/// Bytes to a server and whatever it sends back, without any client's good manners.
enum RawExchange {
    /// Writes the pieces with a pause after each, then reads until the server closes or is silent for `patience`.
    ///
    /// - Parameter breaksOff: True if nothing can follow the pieces: the connection is closed in their direction.
    /// - Returns: What came, and whether the server closed.
    static func send(
        _ pieces: [String], to port: Int, pause: Duration = .zero, patience: TimeAmount = .seconds(30),
        breaksOff: Bool = false
    ) async throws -> (text: String, isClosed: Bool) {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let idle = IdleStateHandler(readTimeout: patience)
                    try channel.pipeline.syncOperations.addHandlers([idle, SilenceHandler()])
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: breaksOff))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            for piece in pieces {
                // Lost: that the server closed already; what it said is read below.
                try? await outbound.write(ByteBuffer(string: piece))
                if pause > .zero { try await Task.sleep(for: pause) }
            }
            if breaksOff { outbound.finish() }
            var text = ""
            do {
                for try await bytes in inbound { text += String(buffer: bytes) }
                return (text, true)
            } catch is Silence {
                return (text, false)
            } catch {
                return (text, true)
            }
        }
    }

    /// Sends `text` over each of so many connections, and reads nothing of any of them while `body` runs.
    static func sendWithoutReading(
        _ text: String, connections: Int, to port: Int, during body: () async throws -> Void
    ) async throws {
        var channels: [any Channel] = []
        for _ in 0..<connections {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.autoRead, value: false)
                .channelOption(.socketOption(.so_rcvbuf), value: 4096)
                .connect(host: "127.0.0.1", port: port).get()
            channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
            channels.append(channel)
        }
        try await body()
        for channel in channels { channel.close(promise: nil) }
    }

    private struct Silence: Error {}

    /// Turns silence into an error that ends the reading.
    private final class SilenceHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event is IdleStateHandler.IdleStateEvent { context.fireErrorCaught(Silence()) }
            context.fireUserInboundEventTriggered(event)
        }
    }
}
