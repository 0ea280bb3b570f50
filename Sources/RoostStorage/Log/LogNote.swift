import Glibc

/// A note beside the store with the end of its log, for the next start to compare. It is written after each commit
/// without a sync, so it survives the end of the process. It shows losses that the store can't show itself, because its
/// write-ahead log is gone or an older copy replaces it. It is kept in the file that locks the store. On the writer's
/// thread.
final class LogNote {
    /// The contents of the note.
    struct Content: Equatable {
        /// The log that is meant.
        var epoch: String
        /// The newest position.
        var position: Int64
        /// Whether a relay has the store open, or ended without closing it.
        var isOpen: Bool
        /// Whether commits are synced, so that they survive the stop of the machine.
        var isSynced: Bool
        /// The run of the machine, as Linux names it.
        var boot: String
    }

    private static let bytesMax = 512

    private let descriptor: Int32
    private var content: Content?

    /// `descriptor` is an open file, which the caller closes later.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// nil if there is none, or it isn't whole.
    func read() -> Content? {
        var bytes = [UInt8](repeating: 0, count: LogNote.bytesMax)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return LogNote.parse(bytes[..<count])
    }

    /// Writes a note so that it survives a power cut, and goes on from it. Returns whether that succeeded.
    @discardableResult
    func begin(_ content: Content) -> Bool {
        self.content = content
        return write(content) && fdatasync(descriptor) == 0
    }

    /// The log has come to a position. Returns whether it could be noted.
    @discardableResult
    func move(to position: Int64) -> Bool {
        guard var content, content.position != position else { return true }
        content.position = position
        self.content = content
        return write(content)
    }

    /// The store is about to be closed in order. Returns whether that could be noted.
    func end() -> Bool {
        guard var content else { return true }
        content.isOpen = false
        defer { self.content = nil }
        return begin(content)
    }

    private func write(_ content: Content) -> Bool {
        let bytes = LogNote.bytes(of: content)
        return pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    }

    /// This run of the machine; empty if the system doesn't say.
    static func currentBoot() -> String {
        let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(file, &bytes, bytes.count)
        let name = bytes.prefix(max(0, count)).prefix { $0 > UInt8(ascii: " ") && $0 < 0x7F }
        return String(decoding: name, as: UTF8.self)
    }

    // MARK: Form

    /// One line of text. Its end is found by the line break, because an older, longer one may stand behind it.
    static func bytes(of content: Content) -> [UInt8] {
        let text =
            "roost log \(content.epoch) position \(content.position) \(content.isOpen ? "open" : "closed") "
            + "\(content.isSynced ? "synced" : "unsynced") boot \(content.boot)"
        var checksum = Checksum()
        Array(text.utf8).withUnsafeBytes { checksum.add($0) }
        return Array("\(text) checksum \(checksum.value)\n".utf8)
    }

    static func parse(_ bytes: ArraySlice<UInt8>) -> Content? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = Array(bytes[..<end])
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 11, let position = Int64(words[4]) else { return nil }
        let content = Content(
            epoch: words[2], position: position, isOpen: words[5] == "open", isSynced: words[6] == "synced",
            boot: words[8])
        // Also compares the checksum.
        return self.bytes(of: content) == line + [UInt8(ascii: "\n")] ? content : nil
    }
}

extension StorageReporter {
    /// The note can't be written. Only a later loss could go unnoticed for that.
    func noteUnwritten() {
        note(.maintenanceFailed, "the note of how far the log has come can't be written")
    }
}
