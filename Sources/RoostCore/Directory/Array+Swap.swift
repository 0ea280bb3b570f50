extension Array {
    /// Removes the element at this place in constant time: the last one takes its place.
    /// - Returns: the one that did; nil if the last one itself was removed.
    mutating func removeBySwap(at place: Int) -> Element? {
        guard let last = popLast(), indices.contains(place) else { return nil }
        self[place] = last
        return last
    }
}
