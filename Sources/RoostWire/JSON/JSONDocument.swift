/// The reader behind `JSONValue`s; goes when the last of them goes. One thread may use it at a time. It is made for
/// every message and has no place on the server's message path: that has a `JSONReader` of its own.
final class JSONDocument {
    // Levels around the bodies in a reply: the reply, its list of messages and the message; and room for more.
    private static let envelopeDepth = 8
    // Members of one event. None has more than twenty; the rest is for members that are new.
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
