import RoostWire

extension Duration {
    /// Truncated. Wraps only for durations longer than a lifetime.
    var wholeMilliseconds: Int64 {
        components.seconds &* 1_000 &+ components.attoseconds / 1_000_000_000_000_000
    }
}

extension JSONWriter {
    /// A list of texts.
    package func list(_ name: StaticString, _ elements: [String]) {
        beginArray(name)
        for text in elements { element(text) }
        endArray()
    }

    /// A text as JSON.
    func json(_ text: String) -> [UInt8] {
        beginBare()
        element(text)
        return Array(written)
    }
}
