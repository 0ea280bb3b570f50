import CSimdjson

/// The parser and the copy of the bytes behind `JSONValue`s; goes when the last of them goes. One thread may use it at
/// a time. It is made for every message and has no place on the server's message path: that is `CommandDecoder`.
final class JSONDocument {
    // Levels around the bodies in a reply: the reply, its list of messages and the message; and room for more.
    private static let envelopeDepth = 8
    // Members of one event. None has more than twenty; the rest is for members that are new.
    private static let membersMax: UInt32 = 256

    let parser: OpaquePointer

    /// Parses one object; nil if the bytes aren't one.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let depth = UInt32(clamping: Limits().jsonDepth + JSONDocument.envelopeDepth)
        guard let parser = csj_create(bytes.count, depth, JSONDocument.membersMax) else { return nil }
        self.parser = parser
        guard csj_parse(parser, bytes.baseAddress, bytes.count) == CSJ_OK else { return nil }
    }

    deinit { csj_destroy(parser) }
}
