import Foundation
import RoostStore

/// The files in which this machine keeps what a user's terminals have, one for each terminal that is open at a time.
/// Each is a device of its own for the relay, so that a second terminal doesn't throw out the first. A lock beside the
/// file shows that it is in use; the system releases it however the process ends.
struct DeviceShelf {
    /// Most files of a user at one relay, of the 64 devices that the relay keeps for a user (Docs/Protocol.md, section
    /// 3): others have phones, too.
    static let filesMax = 16

    let folder: URL
    private let words: Words

    /// The files of a user at a relay: below `$XDG_STATE_HOME`, or `~/.local/state`
    /// (specifications.freedesktop.org/basedir-spec).
    init(relay: String, user: String, environment: [String: String], _ words: Words) {
        self.words = words
        let home = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        let state =
            home ?? environment["HOME"].map { URL(filePath: $0).appending(path: ".local/state") }
            ?? FileManager.default.temporaryDirectory
        folder = state.appending(path: "roost").appending(path: DeviceShelf.fileName(relay))
            .appending(path: DeviceShelf.fileName(user))
    }

    /// A file that is in use by this process, until it is let go.
    struct Place {
        /// The file.
        let path: String
        /// The name of the device, if the file has none yet.
        let device: String
        private let lock: FileLock

        fileprivate init(path: String, device: String, lock: FileLock) {
            (self.path, self.device, self.lock) = (path, device, lock)
        }
    }

    /// Takes the file of this device, or without a name a file that isn't in use: rather one with messages that wait to
    /// be sent.
    func take(device: String?) throws -> Place {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ChatFailure(words(.noFolder(folder.path)))
        }
        if let device {
            guard let place = try place(device) else {
                throw ChatFailure(words(.deviceInUse(device)))
            }
            return place
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasPrefix("terminal-") && $0.hasSuffix(".db") }.sorted().map { String($0.dropLast(3)) }
        let free = try names.compactMap { try place($0) }
        if let waiting = free.count > 1 ? free.first(where: DeviceShelf.hasUnsent) : nil { return waiting }
        if let first = free.first { return first }
        guard names.count < DeviceShelf.filesMax else {
            throw ChatFailure(words(.tooManyChats(names.count)))
        }
        // Names differ between machines, which know nothing of each other.
        for _ in 0..<100 {
            if let place = try place("terminal-\(DeviceShelf.randomWord())") { return place }
        }
        throw ChatFailure(words(.noFreeName))
    }

    /// Takes a file that the user has named.
    static func take(path: String, device: String?, _ words: Words) throws -> Place {
        guard let lock = try FileLock(path: path + ".lock") else {
            throw ChatFailure(words(.fileInUse(path)))
        }
        return Place(path: path, device: device ?? "terminal-\(randomWord())", lock: lock)
    }

    private func place(_ device: String) throws -> Place? {
        let name = DeviceShelf.fileName(device)
        guard let lock = try FileLock(path: folder.appending(path: name + ".lock").path) else { return nil }
        return Place(path: folder.appending(path: name + ".db").path, device: device, lock: lock)
    }

    // A file that can't be read is reported when it is used.
    private static func hasUnsent(_ place: Place) -> Bool {
        guard let store = try? LocalStore(path: place.path, device: place.device) else { return false }
        return store.outbox.items.contains(where: \.isVisible)
    }

    private static func randomWord() -> String {
        String((0..<4).map { _ in "abcdefghjkmnpqrstuvwxyz23456789".randomElement() ?? "x" })
    }

    /// A name that is safe for a file: other characters become `%` and their number, as in a URL. What is too long
    /// for a file is cut, and its check sum keeps it apart from others.
    static func fileName(_ name: String) -> String {
        var safe = ""
        for byte in name.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte))
            if isPlain || (byte != UInt8(ascii: ".") || !safe.isEmpty) && "-_.@".utf8.contains(byte) {
                safe.unicodeScalars.append(scalar)
            } else {
                safe += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        guard safe.utf8.count > 150 else { return safe }
        let sum = name.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return safe.prefix(120) + "-" + String(sum, radix: 16)
    }
}

/// A lock that lasts as long as this object, or the process.
private final class FileLock {
    private let descriptor: Int32

    /// - Returns: nil if another process, or another object of this one, has it.
    init?(path: String) throws {
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw ChatFailure("\(path): \(String(cString: strerror(errno)))") }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            close(opened)
            return nil
        }
        descriptor = opened
    }

    deinit {
        // A child that is just being started has a copy of the open file, and would keep the lock a little longer.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
