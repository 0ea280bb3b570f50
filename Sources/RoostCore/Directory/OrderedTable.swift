/// Values by key, in an order that doesn't depend on chance: the one in which they came, except that the last takes the
/// place of one that goes. A value comes and goes in constant time.
struct OrderedTable<Key: Hashable, Value> {
    private var places: [Key: Int] = [:]
    private(set) var keys: [Key] = []
    private(set) var values: [Value] = []

    var count: Int { keys.count }
    var isEmpty: Bool { keys.isEmpty }

    subscript(key: Key) -> Value? {
        get { places[key].map { values[$0] } }
        set {
            guard let newValue else { return remove(key) }
            if let place = places[key] {
                values[place] = newValue
            } else {
                places[key] = keys.count
                keys.append(key)
                values.append(newValue)
            }
        }
    }

    private mutating func remove(_ key: Key) {
        guard !keys.isEmpty, let place = places.removeValue(forKey: key), let last = keys.popLast(),
            let value = values.popLast(), last != key
        else { return }
        places[last] = place
        keys[place] = last
        values[place] = value
    }
}
