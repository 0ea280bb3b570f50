/// One conversation of the run: who is in it, who writes, and what the relay calls it. Members are users; the places of
/// their devices are dense numbers, so that what belongs to a place lies in flat arrays.
struct Room {
    /// Users; the first creates it.
    var members: [Int]
    /// The first so many members write.
    var senders: Int
    /// Picks one of them; nil if none of them writes.
    var picker: WeightedPicker?
    /// The relay's id of the room; empty until it is created.
    var name = ""
    var isDirect: Bool
    /// Its devices' places are `firstPlace ..< firstPlace + members.count * devices`.
    var firstPlace: Int
    /// Its members' numbers among all who read, one after the other.
    var firstReader = 0
}

/// The state of one device in one conversation.
struct Place {
    var room: Int32
    var device: Int32
    /// Numbers given to messages from here.
    var numbered: UInt32 = 0
    /// The newest sequence that came here.
    var newest = 0
    /// The last read mark sent from here, and its time.
    var readSequence = 0
    var readAt: UInt64 = 0
    var isReadPlanned = false
    /// Numbers of messages from here that were answered on this connection. The relay must not send them to it as
    /// events any more: their `ok` stands for the event.
    var answered = Place.nothingAnswered

    static let nothingAnswered: Range<UInt32> = 0..<0

    /// A message from here was answered. A hole begins the range anew, so that nothing is in it that wasn't answered.
    mutating func noteAnswered(_ number: UInt32) {
        answered = answered.upperBound == number ? answered.lowerBound..<(number + 1) : number..<(number + 1)
    }

    func hasAnswered(_ number: Int) -> Bool { answered.contains(UInt32(truncatingIfNeeded: number)) }
}

/// A device's way from a conversation's name, as a hash, to its place. Few entries: a sorted array is searched.
struct PlaceIndex {
    private var hashes: [UInt64] = []
    private var places: [Int32] = []

    mutating func add(_ hash: UInt64, place: Int) {
        let at = lowerBound(hash)
        hashes.insert(hash, at: at)
        places.insert(Int32(place), at: at)
    }

    func place(_ hash: UInt64) -> Int? {
        let at = lowerBound(hash)
        return at < hashes.count && hashes[at] == hash ? Int(places[at]) : nil
    }

    var all: [Int32] { places }

    private func lowerBound(_ hash: UInt64) -> Int {
        var low = 0
        var high = hashes.count
        while low < high {
            let middle = (low + high) / 2
            if hashes[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension UnsafeRawBufferPointer {
    /// FNV-1a (Fowler, Noll, Vo), 64 bits. Two names of a run that collide would show as a message for a non-member.
    var nameHash: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in self { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }
}
