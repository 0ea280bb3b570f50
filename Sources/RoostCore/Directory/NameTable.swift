import RoostWire

/// Finds an object by its name directly from the bytes of a frame, without creating a `String`. Open addressing with
/// linear probing and a random hash per process, so that chosen names can't make it slow. Loop thread only.
struct NameTable<Value: AnyObject> {
    private struct Slot {
        var hash: Int
        var name: [UInt8]
        var value: Value
    }

    private var slots: [Slot?] = Array(repeating: nil, count: 16)
    private(set) var count = 0

    subscript(text: Text) -> Value? { slots[place(of: text.bytes, hash: Self.hash(text.bytes))]?.value }

    subscript(name: String) -> Value? {
        var name = name
        return name.withUTF8 { self[Text(UnsafeRawBufferPointer($0))] }
    }

    mutating func insert(_ value: Value, named name: String) {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        let bytes = [UInt8](name.utf8)
        let hash = bytes.withUnsafeBytes { Self.hash($0) }
        let place = bytes.withUnsafeBytes { self.place(of: $0, hash: hash) }
        if slots[place] == nil { count += 1 }
        slots[place] = Slot(hash: hash, name: bytes, value: value)
    }

    mutating func remove(_ name: String) {
        let bytes = [UInt8](name.utf8)
        var hole = bytes.withUnsafeBytes { place(of: $0, hash: Self.hash($0)) }
        guard slots[hole] != nil else { return }
        slots[hole] = nil
        count -= 1
        // Closes the gap: moves an entry back if its home is not between the hole and its place.
        var next = (hole + 1) & (slots.count - 1)
        while let slot = slots[next] {
            let home = slot.hash & (slots.count - 1)
            if (next - home) & (slots.count - 1) >= (next - hole) & (slots.count - 1) {
                slots[hole] = slot
                slots[next] = nil
                hole = next
            }
            next = (next + 1) & (slots.count - 1)
        }
    }

    private func place(of bytes: UnsafeRawBufferPointer, hash: Int) -> Int {
        var index = hash & (slots.count - 1)
        while let slot = slots[index] {
            if slot.hash == hash, slot.name.count == bytes.count, slot.name.elementsEqual(bytes) { return index }
            index = (index + 1) & (slots.count - 1)
        }
        return index
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: nil, count: old.count * 2)
        for case let slot? in old {
            var index = slot.hash & (slots.count - 1)
            while slots[index] != nil { index = (index + 1) & (slots.count - 1) }
            slots[index] = slot
        }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }
}
