/// People that one user has written down and who aren't users yet, in the order of their ids. Only their owner sees
/// them. Loop thread only.
struct Prospects {
    struct Entry {
        let id: String
        var stored: StoredProspect
    }

    private(set) var all: [Entry] = []

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }

    subscript(id: String) -> StoredProspect? {
        get {
            let place = place(of: id)
            return place < all.count && all[place].id == id ? all[place].stored : nil
        }
        set {
            let place = place(of: id)
            let isThere = place < all.count && all[place].id == id
            switch (newValue, isThere) {
            case (let stored?, true): all[place].stored = stored
            case (let stored?, false): all.insert(Entry(id: id, stored: stored), at: place)
            case (nil, true): all.remove(at: place)
            case (nil, false): break
            }
        }
    }

    /// Those behind this id; all if it is nil.
    func rest(after id: String?) -> ArraySlice<Entry> {
        guard let id else { return all[...] }
        let place = place(of: id)
        return all[(place < all.count && all[place].id == id ? place + 1 : place)...]
    }

    /// The first place whose id isn't lower.
    private func place(of id: String) -> Int {
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
