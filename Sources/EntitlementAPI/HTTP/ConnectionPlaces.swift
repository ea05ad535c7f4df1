import HummingbirdCore
import NIOCore
import Synchronization

/// The places for connections (`threats.md` T15). While all are taken, an answer closes its connection, and those that
/// have been without a request for longest are closed, once they had a second to send one.
final class ConnectionPlaces: AvailableConnectionsDelegate {
    private static let leastIdle = TimeAmount.seconds(1)

    /// A connection without a request under way.
    private struct Idle {
        let channel: any Channel
        let since: NIODeadline
    }

    /// The connections as they are.
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

    /// Notes that a connection, new or answered, has no request under way.
    func idle(_ channel: any Channel) {
        state.withLock { $0.idle[ObjectIdentifier(channel)] = Idle(channel: channel, since: .now()) }
        guard areTaken, !makeRoom() else { return }
        // By then at least this one has been idle for long enough, or has a request.
        channel.eventLoop.scheduleTask(in: Self.leastIdle) { [self] in _ = makeRoom() }
    }

    /// Notes that a connection has a request under way, or is closed.
    func busy(_ channel: any Channel) {
        state.withLock { _ = $0.idle.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes some of the connections that are idle, those first that are for longest; false if none is for long
    /// enough.
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
