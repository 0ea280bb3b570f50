internal import CLibwebsockets
internal import Glibc

/// The sockets of all welcomed connections, as poll(2) takes them. It finds those with unread data, in a tenth of a
/// microsecond for each, while thousands of others hang up. Loop thread only.
struct GuestTable {
    /// Where a connection stands in the table. The connection keeps it.
    struct Slot {
        fileprivate var index: Int?
    }

    private var sockets: [pollfd] = []
    private var guests: [Connection] = []
    /// Index of the first connection to look at.
    private var first = 0

    /// Number of guests.
    var count: Int { guests.count }

    /// Adds a connection. May be repeated.
    mutating func add(_ guest: Connection) {
        guard guest.slots.guest.index == nil else { return }
        guest.slots.guest.index = guests.count
        guests.append(guest)
        sockets.append(pollfd(fd: guest.descriptor, events: Int16(POLLIN) | shim_pollrdhup, revents: 0))
    }

    /// Removes a connection. May be repeated.
    mutating func remove(_ guest: Connection) {
        guard let index = guest.slots.guest.index else { return }
        guest.slots.guest.index = nil
        let last = guests.removeLast()
        let socket = sockets.removeLast()
        guard last !== guest else { return }
        guests[index] = last
        sockets[index] = socket
        last.slots.guest.index = index
    }

    /// Connections with unread data that haven't hung up, `most` of them at most. The next call continues behind them.
    mutating func talking(atMost most: Int) -> [Connection] {
        let count = sockets.withUnsafeMutableBufferPointer { poll($0.baseAddress, nfds_t($0.count), 0) }
        guard count > 0 else { return [] }
        var talking: [Connection] = []
        var place = first < sockets.count ? first : 0
        for _ in sockets.indices {
            if sockets[place].revents == Int16(POLLIN) { talking.append(guests[place]) }
            place = place + 1 < sockets.count ? place + 1 : 0
            if talking.count == most { break }
        }
        first = place
        return talking
    }
}
