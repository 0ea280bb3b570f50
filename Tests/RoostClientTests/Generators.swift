/// Always returns the greatest number, so every random wait is the longest of its range.
struct Greatest: RandomNumberGenerator, Sendable {
    mutating func next() -> UInt64 { .max }
}

/// Counts up, so that all keys differ.
struct Counting: RandomNumberGenerator, Sendable {
    private var last: UInt64 = 0

    mutating func next() -> UInt64 {
        last += 1
        return last
    }
}
