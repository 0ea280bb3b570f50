import RoostWire

/// Finds users by how a name of theirs begins. The entries are sorted, in chunks: to insert or to remove one moves the
/// entries of its chunk and no others, and a search halves its way to the first. Loop thread only.
struct NameIndex {
    /// A name by which a user is found.
    struct Entry {
        let name: FoldedName
        let user: UserNumber

        init(_ name: FoldedName, of user: UserNumber) { (self.name, self.user) = (name, user) }

        fileprivate static func < (one: Entry, other: Entry) -> Bool {
            one.name == other.name ? one.user.value < other.user.value : one.name < other.name
        }
    }

    /// Where a search stands.
    struct Place {
        fileprivate var chunk: Int
        fileprivate var offset: Int
    }

    /// Entries of a chunk before it is halved: to move half of them takes 1 µs.
    private static let chunkMax = 512

    /// None is empty.
    private var chunks: [[Entry]] = []
    /// Number of entries.
    private(set) var count = 0

    /// Holds these entries.
    init(_ entries: [Entry] = []) {
        let sorted = entries.sorted(by: <)
        let size = NameIndex.chunkMax / 2
        chunks = stride(from: 0, to: sorted.count, by: size).map { Array(sorted[$0..<min($0 + size, sorted.count)]) }
        count = sorted.count
    }

    /// Adds an entry that isn't there.
    mutating func insert(_ entry: Entry) {
        count += 1
        guard !chunks.isEmpty else { return chunks = [[entry]] }
        // Behind the last entry of all, the last chunk takes it.
        var place = self.place { $0 < entry }
        if place.chunk == chunks.count {
            place = Place(chunk: chunks.count - 1, offset: chunks[chunks.count - 1].count)
        }
        chunks[place.chunk].insert(entry, at: place.offset)
        guard chunks[place.chunk].count > NameIndex.chunkMax else { return }
        let half = Array(chunks[place.chunk][(NameIndex.chunkMax / 2)...])
        chunks[place.chunk].removeSubrange((NameIndex.chunkMax / 2)...)
        chunks.insert(half, at: place.chunk + 1)
    }

    /// Removes an entry if it is there.
    mutating func remove(_ entry: Entry) {
        let place = self.place { $0 < entry }
        guard let found = self[place], found.name == entry.name, found.user == entry.user else { return }
        count -= 1
        chunks[place.chunk].remove(at: place.offset)
        if chunks[place.chunk].isEmpty { chunks.remove(at: place.chunk) }
    }

    /// The first entry that isn't before this name.
    func start(at name: FoldedName) -> Place { place { $0.name < name } }

    /// The first entry behind that of this name and user, which needn't be there any more.
    func start(behind name: FoldedName, _ user: UserNumber) -> Place {
        place { $0.name == name ? $0.user.value <= user.value : $0.name < name }
    }

    /// The entry at this place; nil at the end.
    subscript(place: Place) -> Entry? {
        chunks.indices.contains(place.chunk) && chunks[place.chunk].indices.contains(place.offset)
            ? chunks[place.chunk][place.offset] : nil
    }

    /// The place of the next entry.
    func place(after place: Place) -> Place {
        guard chunks.indices.contains(place.chunk), place.offset + 1 < chunks[place.chunk].count else {
            return Place(chunk: place.chunk + 1, offset: 0)
        }
        return Place(chunk: place.chunk, offset: place.offset + 1)
    }

    /// The first entry that isn't before the place that is sought.
    private func place(where isBefore: (Entry) -> Bool) -> Place {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if let last = chunks[middle].last, isBefore(last) { low = middle + 1 } else { high = middle }
        }
        let chunk = low
        guard chunk < chunks.count else { return Place(chunk: chunk, offset: 0) }
        (low, high) = (0, chunks[chunk].count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(chunks[chunk][middle]) { low = middle + 1 } else { high = middle }
        }
        return Place(chunk: chunk, offset: low)
    }
}
