import HummingbirdCore
import NIOCore
import Synchronization

/// The limit on open connections (`threats.md` T15). While it is reached, each answer closes its connection, and the
/// connections that were idle for longest are closed. A new connection has at least a second to send a request.
final class ConnectionPlaces: AvailableConnectionsDelegate {
    private static let leastIdle = TimeAmount.seconds(1)

    /// A connection without a request under way, and since when.
    private struct Idle {
        let channel: any Channel
        let since: NIODeadline
    }

    /// The number of open connections, and the idle ones among them.
    private struct State {
        var taken = 0
        var idle: [ObjectIdentifier: Idle] = [:]
    }

    private let maximum: Int
    private let state = Mutex(State())

    init(maximum: Int) {
        self.maximum = maximum
    }

    var areTaken: Bool { !isAcceptingNewConnections() }

    func isAcceptingNewConnections() -> Bool {
        state.withLock { $0.taken < maximum }
    }

    func connectionOpened() {
        state.withLock { $0.taken += 1 }
    }

    func connectionClosed() {
        state.withLock { $0.taken -= 1 }
    }

    /// Notes that a new or answered connection has no request under way.
    func idle(_ channel: any Channel) {
        state.withLock { $0.idle[ObjectIdentifier(channel)] = Idle(channel: channel, since: .now()) }
        guard areTaken, !makeRoom() else { return }
        // After this time at least this connection has been idle for long enough, unless it has a request.
        channel.eventLoop.scheduleTask(in: Self.leastIdle) { [self] in _ = makeRoom() }
    }

    /// Notes that a connection has a request under way, or is closed.
    func busy(_ channel: any Channel) {
        state.withLock { _ = $0.idle.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes some idle connections, the longest idle first. False if none has been idle for long enough.
    private func makeRoom() -> Bool {
        let latest = NIODeadline.now() - Self.leastIdle
        let closing = state.withLock { state -> [any Channel] in
            guard state.taken >= maximum else { return [] }
            let old = state.idle.filter { $0.value.since <= latest }.sorted { $0.value.since < $1.value.since }
            return old.prefix(max(1, maximum / 64)).map { key, idle in
                state.idle.removeValue(forKey: key)
                return idle.channel
            }
        }
        for channel in closing { channel.close(promise: nil) }
        return !closing.isEmpty
    }
}
