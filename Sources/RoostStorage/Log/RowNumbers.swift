/// The numeric columns of a row, as used for its checksum. A missing number is 0.
struct RowNumbers {
    var position: Int64
    var conversation: Int32
    var sequence: Int64
    var kind: UInt8
    var sender: Int32
    var time: Int64
    var reference: Int64
    var flag: Bool
    var editedAt: Int64 = 0
    var deletedAt: Int64 = 0

    /// The checksum of a row with these numbers and texts: CRC-32C of eleven numbers of eight bytes each, lowest byte
    /// first, followed by the texts. `Docs/Schema.md` documents the same.
    func checksum(
        device: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, label: UnsafeRawBufferPointer,
        extras: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer
    ) -> Int64 {
        var checksum = Checksum()
        checksum.add(word(position))
        checksum.add(pair(conversation, sender))
        checksum.add(word(sequence))
        checksum.add(UInt64(kind) | (flag ? 256 : 0))
        checksum.add(word(time))
        checksum.add(word(reference))
        checksum.add(word(editedAt))
        checksum.add(word(deletedAt))
        checksum.add(pair(Int32(clamping: device.count), Int32(clamping: key.count)))
        checksum.add(pair(Int32(clamping: label.count), Int32(clamping: body.count)))
        checksum.add(UInt64(clamping: extras.count))
        checksum.add(device)
        checksum.add(key)
        checksum.add(label)
        checksum.add(extras)
        checksum.add(body)
        return Int64(checksum.value)
    }

    private func word(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) }

    private func pair(_ low: Int32, _ high: Int32) -> UInt64 {
        UInt64(UInt32(bitPattern: low)) | UInt64(UInt32(bitPattern: high)) << 32
    }
}
