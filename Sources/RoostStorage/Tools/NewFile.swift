import Glibc

/// A file that appears under its name whole and synced, or not at all. It is written as a draft next to its place, for
/// its owner only, and moved there by `publish`. It replaces a file only on request.
///
/// Belongs to one thread. It must not be published while a connection has the draft open.
final class NewFile {
    /// Where the file will stand.
    let path: String
    /// Where it is written.
    let draft: String
    /// Held while the draft is written, so that a second writer keeps off and a draft that a crash left is used again.
    private var descriptor: Int32

    /// Makes an empty draft for `path`. Throws `exists` if something stands there already, unless it may be replaced,
    /// and `beingWritten` if another process is writing the same file.
    init(at path: String, replacing: Bool = false, suffix: String = ".partial") throws {
        self.path = path
        draft = path + suffix
        descriptor = -1
        if !replacing, access(path, F_OK) == 0 { throw ToolFailure.exists(path: path) }
        descriptor = open(draft, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            throw Ownership.denial(ofFile: draft)
                ?? StorageFailure.cannotOpen(path: draft, reason: String(cString: strerror(code)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            descriptor = -1
            throw ToolFailure.beingWritten(path: draft)
        }
        // One that a crash left may be long, or readable for others.
        try check(ftruncate(descriptor, 0), draft)
        try check(fchmod(descriptor, 0o600), draft)
    }

    deinit {
        guard descriptor >= 0 else { return }
        // As in FileLock: a child that is just being started has a copy of the open file.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Appends bytes to the draft.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, start, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                throw ToolFailure.cannotWrite(path: draft, reason: String(cString: strerror(errno)))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Bytes that the draft has.
    var byteCount: Int64 {
        var found = stat()
        return fstat(descriptor, &found) == 0 ? Int64(found.st_size) : 0
    }

    /// Gives the draft to the owner of `other`, so that a command that root runs leaves a file that the relay can open.
    func giveToOwner(of other: String) {
        Ownership.give(descriptor, toOwnerOf: other)
    }

    /// Syncs the draft and moves it to its place.
    func publish(replacing: Bool = false) throws {
        try check(fsync(descriptor), draft)
        if replacing {
            try check(rename(draft, path), path)
        } else if link(draft, path) == 0 {
            // A link, unlike a rename, doesn't replace what came to stand there meanwhile.
            unlink(draft)
        } else {
            let code = errno
            guard code != EEXIST, access(path, F_OK) != 0 else { throw ToolFailure.exists(path: path) }
            // A file system without links.
            try check(rename(draft, path), path)
        }
        try Folder.sync(of: path)
    }

    /// Removes the draft.
    func discard() {
        unlink(draft)
    }

    private func check(_ code: Int32, _ path: String) throws {
        guard code == 0 else { throw ToolFailure.cannotWrite(path: path, reason: String(cString: strerror(errno))) }
    }
}

/// The folder that a file stands in.
enum Folder {
    /// The folder's own path.
    static func path(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// Makes what was renamed, linked or removed in the folder of `file` survive a power cut.
    static func sync(of file: String) throws {
        let folder = path(of: file)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StorageFailure.cannotOpen(path: folder, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw ToolFailure.cannotWrite(path: folder, reason: String(cString: strerror(errno)))
        }
    }
}
