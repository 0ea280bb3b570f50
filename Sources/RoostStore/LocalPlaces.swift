/// Names as which conversations were written to since the start, such as `@ben`, with the ids of these conversations. A
/// name may be a username, and only the relay knows whose that is. It belongs to the store's thread.
struct LocalPlaces {
    /// Most names that are kept, the last ones: only conversations opened by such a name need them.
    static let most = 100

    private var known: [(name: String, id: String)] = []

    /// The relay has stored a message to this name.
    mutating func note(_ name: String, is id: String) {
        known.removeAll { $0.name == name }
        known.append((name, id))
        if known.count > LocalPlaces.most { known.removeFirst() }
    }

    /// The conversation that was written to by this name.
    subscript(name: String) -> String? { known.last { $0.name == name }?.id }
}
