import NIOCore
import Synchronization

/// All connections, so that those which wait for a request, or for the rest of one, keep no client out: the oldest of
/// these is closed for a newcomer. Any event loop may use it.
final class ConnectionTable: Sendable {
    private struct Entry {
        var channel: any Channel
        /// The networks that it counts for; none for a proxy.
        var networks: [String]
        /// Rises with each connection, and with the end of each answer.
        var stamp: UInt64
        /// Whether a whole request is being worked on.
        var isBusy = false
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var counts: [String: Int] = [:]
        var lastStamp: UInt64 = 0

        mutating func nextStamp() -> UInt64 {
            lastStamp += 1
            return lastStamp
        }

        mutating func remove(_ id: ObjectIdentifier) -> Entry? {
            guard let entry = entries.removeValue(forKey: id) else { return nil }
            for network in entry.networks {
                guard let count = counts[network] else { continue }
                counts[network] = count > 1 ? count - 1 : nil
            }
            return entry
        }

        /// The one that has waited for longest.
        func oldest(where isMeant: (Entry) -> Bool) -> ObjectIdentifier? {
            entries.filter { !$0.value.isBusy && isMeant($0.value) }.min { $0.value.stamp < $1.value.stamp }?.key
        }
    }

    private let most: Int
    /// Most of one network, from the smallest to the largest.
    private let bounds: [Int]
    private let addresses: ClientAddress
    private let state = Mutex(State())

    init(limits: ServicesLimits, addresses: ClientAddress) {
        // The acceptor stops at `connectionsMax`, and the newcomer has to be accepted before another one ends.
        most = limits.connectionsMax - 1
        bounds = [limits.addressConnections, limits.homeConnections, limits.siteConnections]
        self.addresses = addresses
    }

    /// A connection has begun. Closes the oldest waiting one in its place, or itself if there is none.
    func add(_ channel: any Channel) {
        let peer = channel.remoteAddress?.ipAddress ?? ""
        let networks =
            addresses.isProxy(peer) ? [] : ClientAddress.networks(of: addresses.key(peer: peer, forwarded: nil))
        let id = ObjectIdentifier(channel)
        let leaving = state.withLock { state -> [any Channel] in
            var leaving: [any Channel] = []
            for (network, most) in zip(networks, bounds) where state.counts[network, default: 0] >= most {
                // Without an older one, the newcomer itself.
                guard let oldest = state.oldest(where: { $0.networks.contains(network) }) else { return [channel] }
                if let entry = state.remove(oldest) { leaving.append(entry.channel) }
            }
            if state.entries.count >= most {
                // The network with the most connections loses one. Proxies have none, and lose one only if there is no
                // other.
                let crowd = state.counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
                let oldest = crowd.flatMap { crowd in state.oldest { $0.networks.contains(crowd) } }
                guard let oldest = oldest ?? state.oldest(where: { _ in true }) else { return [channel] }
                if let entry = state.remove(oldest) { leaving.append(entry.channel) }
            }
            state.entries[id] = Entry(channel: channel, networks: networks, stamp: state.nextStamp())
            for network in networks { state.counts[network, default: 0] += 1 }
            return leaving
        }
        for channel in leaving { channel.close(promise: nil) }
    }

    /// A request has arrived as a whole, or its answer has left.
    func setBusy(_ channel: any Channel, _ isBusy: Bool) {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            guard var entry = state.entries[id] else { return }
            entry.isBusy = isBusy
            entry.stamp = state.nextStamp()
            state.entries[id] = entry
        }
    }

    func remove(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        _ = state.withLock { $0.remove(id) }
    }

    /// Connections that count.
    var count: Int { state.withLock { $0.entries.count } }
}
