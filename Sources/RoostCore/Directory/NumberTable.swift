/// Finds an object by its number with two reads of memory and no hash. Numbers need not be dense, but should be close
/// together, as those of one lease are: each 1,024 numbers with at least one in use take a page. Loop thread only.
struct NumberTable<Value: AnyObject> {
    private static var pageSize: Int { 1_024 }

    private var pages: [[Value?]] = []
    private(set) var count = 0

    subscript(number: Int32) -> Value? {
        get {
            let (page, index) = Int(number).quotientAndRemainder(dividingBy: Self.pageSize)
            guard pages.indices.contains(page), pages[page].indices.contains(index) else { return nil }
            return pages[page][index]
        }
        set {
            guard number >= 0 else { return }
            let (page, index) = Int(number).quotientAndRemainder(dividingBy: Self.pageSize)
            if newValue == nil, !pages.indices.contains(page) { return }
            while pages.count <= page { pages.append([]) }
            if pages[page].isEmpty {
                guard newValue != nil else { return }
                pages[page] = Array(repeating: nil, count: Self.pageSize)
            }
            count += (newValue == nil ? 0 : 1) - (pages[page][index] == nil ? 0 : 1)
            pages[page][index] = newValue
        }
    }

    /// The object with the next higher number.
    func next(after number: Int32) -> Value? {
        guard number < .max else { return nil }
        var (page, index) = Int(max(-1, number) + 1).quotientAndRemainder(dividingBy: Self.pageSize)
        while page < pages.count {
            while index < pages[page].count {
                if let value = pages[page][index] { return value }
                index += 1
            }
            (page, index) = (page + 1, 0)
        }
        return nil
    }

    /// Visits all objects in the order of their numbers.
    func forEach(_ body: (Value) -> Void) {
        for page in pages { for case let value? in page { body(value) } }
    }
}
