import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Guards one connection against faults that Hummingbird leaves to its users (`threats.md` T15, T16).
///
/// * A header that does not end in time closes the connection. So does a request that is not answered in time; it gets
///   a 503 if nothing was sent yet.
/// * Bytes that cannot be read as HTTP are answered 400 or 431 with a problem document instead of a bare status.
/// * An answer with `Connection: close` closes the connection after the answer is sent. A bounded rest of the request
///   is read and discarded first, so that the client can read the answer.
/// * A request is read only after the one before it is answered. So a client that sends many requests and reads no
///   answers is slowed down by the network, and takes no more than ``ServerLimits/readBytes`` of memory here.
/// * Before the route asks for the body, no more than ``ServerLimits/unaskedBytes`` and one further read of it are
///   taken.
/// * While the limit on connections is reached, each answer closes its connection.
/// * The work on a request ends if the guard answers in its place, or the connection closes before the answer.
///
/// Each request gets at most one answer. After the guard has answered by itself, nothing passes in either direction.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The settings that all connections share.
    struct Settings: Sendable {
        let limits: ServerLimits
        let table: RouteTable
        let places: ConnectionPlaces
        let crossOrigin: CrossOrigin
        let newRequestID: @Sendable () -> String
    }

    private let settings: Settings
    /// The header of the request whose answer is not complete.
    private var request: HTTPRequest?
    /// True while the end of the request has not been read.
    private var isReading = false
    private var hasStartedAnswer = false
    private var closesAfterAnswer = false
    private var isClosing = false
    /// True if the connection must close after the answer (``RequestHeadCheck``).
    private var takesNoMore = false
    private var lateBytes = 0
    /// The bytes of the request's body that arrived before the route asked for it.
    private var unaskedBytes = 0
    private var isBodyWanted = false
    /// True if a read is held back until the route asks for the body.
    private var holdsRead = false
    /// True if the last read ended a request.
    private var hasEnded = false
    /// The work on the request, until it is answered.
    private var work: Work?
    /// The time limit of the header while there is no request, else that of the request.
    private var deadline: Deadline?
    /// The timer that checks the deadline. It keeps running when the deadline goes, because the next deadline is seldom
    /// earlier. A new timer for each request would cost more than the rest of the guard.
    private var timer: (firesAt: NIODeadline, scheduled: Scheduled<Void>)?

    /// The end of a wait, and what happens then.
    private struct Deadline {
        /// The action at the end of the wait.
        enum Ending {
            case close
            case refuse
        }

        let endsAt: NIODeadline
        let ending: Ending
    }

    /// Tells the guard that the route reads the body of its request.
    struct BodyWanted: Sendable {}

    /// Tells the guard how to end the work on the request.
    struct Work: Sendable {
        let end: @Sendable () -> Void
    }

    init(_ settings: Settings) {
        self.settings = settings
    }

    func handlerAdded(context: ChannelHandlerContext) {
        settings.places.idle(context.channel)
        let heads = RequestHeadCheck { [self] in takesNoMore = true }
        do {
            let pipeline = context.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandlers([HTTPServerPipelineHandler(), heads], position: .before(codec))
            try context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try context.channel.syncOptions?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(
                    minimum: 64, initial: 2048, maximum: settings.limits.readBytes))
        } catch {
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        settings.places.busy(context.channel)
        stopTimer()
        endWork()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        settings.places.busy(context.channel)
        stopTimer()
    }

    // MARK: What comes in

    /// Called at the end of each read. Unless a request is under way or has just ended, a header has begun, and its
    /// time limit starts now.
    func channelReadComplete(context: ChannelHandlerContext) {
        defer { hasEnded = false }
        if deadline == nil, request == nil, !isReading, !isClosing, !hasEnded {
            wait(seconds: settings.limits.headerSeconds, then: .close, context)
        }
        context.fireChannelReadComplete()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard !isClosing else { return discard(part) }
        switch part {
        case .head(let head):
            begin(head, context)
        case .body(let bytes):
            if request == nil {
                lateBytes += bytes.readableBytes
                guard lateBytes <= settings.limits.lateBytes else { return linger(context) }
            } else if !isBodyWanted {
                unaskedBytes += bytes.readableBytes
            }
        case .end:
            isReading = false
            hasEnded = true
            if request == nil { deadline = nil }
        }
        context.fireChannelRead(data)
    }

    private func begin(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        isReading = true
        lateBytes = 0
        unaskedBytes = 0
        isBodyWanted = false
        request = head
        settings.places.busy(context.channel)
        let path = Self.path(of: head)
        waitForAnswer(seconds: settings.table.deadlineSeconds(of: head.method, at: path), context)
        guard head.headerFields[.expect]?.lowercased() == "100-continue" else { return }
        // A body without a length is chunked. A length that does not fit an integer is over every limit.
        let length = head.headerFields[.contentLength].map { Int($0) ?? .max } ?? 0
        guard length <= settings.table.bodyLimit(of: head.method, at: path) else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    /// The path without its query.
    private static func path(of head: HTTPRequest?) -> String {
        String(Substring((head?.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") }))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isClosing, error is HTTPParserError || !(error is IOError || error is ChannelError) else {
            context.fireErrorCaught(error)
            return
        }
        // A request whose answer has begun or is complete gets no second answer, so the connection closes.
        guard !hasStartedAnswer, request != nil || !isReading else { return finish(context) }
        isReading = true
        switch error {
        case HTTPParserError.headerOverflow:
            refuse(Problem(.headersTooLarge, "The header is larger than this server reads."), context)
        case HTTPParserError.invalidEOFState:
            refuse(.bodyIncomplete, context)
        case let defect as RequestHeadCheck.Defect:
            refuse(.invalidRequest(defect.detail, at: defect.field), context)
        default:
            refuse(.invalidRequest("The request is not valid HTTP/1.1.", at: "request"), context)
        }
    }

    // MARK: What goes out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosing else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let part = unwrapOutboundIn(data)
        if case .head(let head) = part, head.status.kind != .informational {
            return write(head, data, promise, context)
        }
        guard case .end = part else { return context.write(data, promise: promise) }
        // The state changes before the end is written, because the next request may arrive during that write.
        hasStartedAnswer = false
        request = nil
        work = nil
        isClosing = closesAfterAnswer
        if !isReading { deadline = nil }
        defer { readOn(context) }
        guard isClosing else {
            settings.places.idle(context.channel)
            return context.write(data, promise: promise)
        }
        context.writeAndFlush(data, promise: promise)
        linger(context)
    }

    private func write(
        _ head: HTTPResponse, _ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
    ) {
        hasStartedAnswer = true
        let takesNoMore = takesNoMore || settings.places.areTaken
        closesAfterAnswer = takesNoMore || head.headerFields[.connection]?.lowercased() == "close"
        guard takesNoMore else { return context.write(data, promise: promise) }
        var head = head
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    // MARK: Ends

    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        isClosing = true
        endWork()
        let given = request?.headerFields[.requestID].flatMap { RequestID.isAcceptable($0) ? $0 : nil }
        let requestID = given ?? settings.newRequestID()
        let body = settings.table.marked(problem, at: Self.path(of: request)).body(requestID: requestID)
        var fields = problem.fields
        fields[.contentType] = "application/problem+json"
        fields[.contentLength] = String(body.count)
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        fields[.connection] = "close"
        fields[.requestID] = requestID
        // If the header could not be read, its origin is unknown. Any page may then read the problem, which tells
        // nothing about any user.
        let readers = request.map { settings.table.readers(at: Self.path(of: $0)) } ?? .anybody
        settings.crossOrigin.tell(readers, answering: request, in: &fields)
        let head = HTTPResponse(status: problem.status, headerFields: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request?.method != .head { context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        linger(context)
    }

    /// Sends no more, and closes the connection soon. Until then it reads and discards a little of what still arrives,
    /// because closing a socket with unread bytes would destroy the answer on its way. If the request was read
    /// completely, the connection closes at once.
    private func linger(_ context: ChannelHandlerContext) {
        isClosing = true
        guard isReading else { return finish(context) }
        wait(seconds: settings.limits.lingerSeconds, then: .close, context)
        readOn(context)
    }

    private func discard(_ part: HTTPRequestPart) {
        guard case .body(let bytes) = part else { return }
        lateBytes += bytes.readableBytes
    }

    /// Reads on, except in two cases: enough of the rest of a request has been discarded, or nobody has asked for the
    /// body. In the first case the client's own buffer fills up, and it reads the answer.
    func read(context: ChannelHandlerContext) {
        guard !isClosing || lateBytes <= settings.limits.lateBytes else { return }
        guard isClosing || request == nil || isBodyWanted || unaskedBytes <= ServerLimits.unaskedBytes else {
            holdsRead = true
            return
        }
        context.read()
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard holdsRead else { return }
        holdsRead = false
        read(context: context)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if let work = event as? Work {
            promise?.succeed()
            self.work = work
            if isClosing || request == nil { endWork() }
            return
        }
        guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        promise?.succeed()
        isBodyWanted = true
        readOn(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            guard !isClosing else { return finish(context) }
            // A caller who closes its side behind a whole request has left, in all but a few cases.
            if !isReading { endWork() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func finish(_ context: ChannelHandlerContext) {
        isClosing = true
        stopTimer()
        endWork()
        context.close(promise: nil)
    }

    private func endWork() {
        work?.end()
        work = nil
    }

    // MARK: Time

    private func waitForAnswer(seconds: Int64, _ context: ChannelHandlerContext) {
        wait(seconds: min(seconds, settings.limits.requestSeconds), then: .refuse, context)
    }

    private func wait(seconds: Int64, then ending: Deadline.Ending, _ context: ChannelHandlerContext) {
        let endsAt = NIODeadline.now() + .seconds(seconds)
        deadline = Deadline(endsAt: endsAt, ending: ending)
        startTimer(at: endsAt, context)
    }

    /// Starts the timer, unless one already fires earlier.
    private func startTimer(at instant: NIODeadline, _ context: ChannelHandlerContext) {
        if let timer, timer.firesAt <= instant { return }
        timer?.scheduled.cancel()
        let scheduled = context.eventLoop.assumeIsolated().scheduleTask(deadline: instant) { [self] in
            timer = nil
            lookAtDeadline(context)
        }
        timer = (instant, scheduled)
    }

    private func lookAtDeadline(_ context: ChannelHandlerContext) {
        guard let deadline else { return }
        guard deadline.endsAt <= .now() else { return startTimer(at: deadline.endsAt, context) }
        self.deadline = nil
        switch deadline.ending {
        case .refuse where request != nil && !hasStartedAnswer:
            refuse(.tookTooLong, context)
        case .refuse, .close: finish(context)
        }
    }

    private func stopTimer() {
        deadline = nil
        timer?.scheduled.cancel()
        timer = nil
    }
}
