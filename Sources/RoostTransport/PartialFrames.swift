/// The memory that unfinished messages of all connections take together, within one bound. Beyond it, the connection
/// whose message has been unfinished for longest is cut: honest clients finish theirs, and a newcomer isn't shut out
/// by those who don't. Loop thread only.
struct PartialFrames<Member> {
    /// Counted bytes of one connection. The connection keeps it.
    struct Place {
        fileprivate(set) var bytes = 0
        fileprivate var arrival = Arrivals<Member>.none
    }

    private let bytesMax: Int
    private var arrivals = Arrivals<Member>()
    private var holders = Arrivals<Member>.Queue()
    /// Bytes of all of them.
    private(set) var bytes = 0

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Notes how much a connection holds now. With `isNew`, what it holds began after something else was finished.
    mutating func note(_ bytes: Int, of member: Member, at place: inout Place, isNew: Bool = false) {
        self.bytes += bytes - place.bytes
        if place.bytes > 0, bytes == 0 || isNew { arrivals.remove(place.arrival, from: &holders) }
        if bytes > 0, place.bytes == 0 || isNew { place.arrival = arrivals.append(member, to: &holders) }
        place.bytes = bytes
    }

    /// The connection to cut, as long as all hold too much.
    var surplus: Member? { bytes > bytesMax ? arrivals.oldest(of: holders) : nil }
}
