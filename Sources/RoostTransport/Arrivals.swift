/// Members in the order in which they arrived, in any number of queues. Adding, removing and finding the oldest take
/// the same short time however many there are.
struct Arrivals<Member> {
    /// The ends of a queue. The queue's owner keeps it.
    struct Queue {
        fileprivate var oldest = Arrivals.none
        fileprivate var newest = Arrivals.none
        /// Number of members.
        fileprivate(set) var count = 0
    }

    /// Where a member is. It is void once the member was removed.
    typealias Place = Int32

    /// No place.
    static var none: Place { -1 }

    private struct Node {
        var member: Member?
        var older = Arrivals.none
        var newer = Arrivals.none
    }

    private var nodes: [Node] = []
    private var free: [Place] = []

    /// Adds a member as the newest of a queue.
    mutating func append(_ member: Member, to queue: inout Queue) -> Place {
        let place = free.popLast() ?? Place(nodes.count)
        let node = Node(member: member, older: queue.newest)
        if Int(place) == nodes.count { nodes.append(node) } else { nodes[Int(place)] = node }
        if queue.newest == Arrivals.none { queue.oldest = place } else { nodes[Int(queue.newest)].newer = place }
        queue.newest = place
        queue.count += 1
        return place
    }

    /// Removes a member from the queue that it is in.
    mutating func remove(_ place: Place, from queue: inout Queue) {
        let node = nodes[Int(place)]
        precondition(node.member != nil && queue.count > 0, "a member is removed once")
        if node.older == Arrivals.none { queue.oldest = node.newer } else { nodes[Int(node.older)].newer = node.newer }
        if node.newer == Arrivals.none { queue.newest = node.older } else { nodes[Int(node.newer)].older = node.older }
        nodes[Int(place)] = Node()
        free.append(place)
        queue.count -= 1
    }

    /// The member that has been in the queue for longest.
    func oldest(of queue: Queue) -> Member? {
        queue.oldest == Arrivals.none ? nil : nodes[Int(queue.oldest)].member
    }
}
