/// The reader behind `JSONValue`s, freed with the last of them. Used by one thread at a time. One is made for every
/// message, so it isn't used on the server's message path, which has its own `JSONReader`.
final class JSONDocument {
    // Levels around the bodies in a reply: the reply, its list of messages, the message, and some reserve.
    private static let envelopeDepth = 8
    // Members of one event. None has more than twenty; the rest is reserve for new members.
    private static let membersMax = 256

    private var reader: JSONReader

    /// Reads one object; nil if the bytes aren't one.
    init?(_ bytes: UnsafeRawBufferPointer) {
        reader = JSONReader(
            bytesMax: bytes.count, depthMax: Limits().jsonDepth + JSONDocument.envelopeDepth,
            membersMax: JSONDocument.membersMax)
        guard reader.read(bytes) == .valid else { return nil }
    }

    /// The outermost object.
    var root: JSONItem { reader.root }

    func raw(_ item: JSONItem) -> Text { reader.raw(item) }

    func text(_ item: JSONItem) -> Text { reader.text(item) }

    /// Calls `body` with each child of an array or object.
    func forEachChild(of item: JSONItem, _ body: (_ name: Text, _ value: JSONItem) -> Void) {
        var children = reader.children(of: item)
        while let child = reader.next(&children) { body(reader.name(child), child.value) }
    }
}
