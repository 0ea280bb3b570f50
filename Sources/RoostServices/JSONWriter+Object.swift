import RoostWire

extension JSONWriter {
    /// One JSON object, whose members `write` writes.
    static func object(_ write: (JSONWriter) -> Void) -> [UInt8] {
        let writer = JSONWriter()
        writer.beginBare()
        writer.beginObject()
        write(writer)
        writer.endObject()
        return Array(writer.written)
    }
}
