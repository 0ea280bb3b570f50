import Glibc

/// The owners of a store's files: the owner of files that a command of root makes, and the file that keeps the relay
/// out. Stateless.
enum Ownership {
    /// Gives an open file to the owner of the store at `path` or, while there is none, of its folder. Only root can,
    /// and only what root makes needs it: the relay runs as another user and has to open the file afterwards.
    static func give(_ descriptor: Int32, toOwnerOf path: String) {
        guard geteuid() == 0, let owner = status(of: path) ?? status(of: Folder.path(of: path)) else { return }
        _ = fchown(descriptor, owner.st_uid, owner.st_gid)
    }

    /// Makes an empty file for a store that isn't there: readable for its owner only, and its owner is that of the
    /// folder. SQLite would make it root's, with a mode that depends on the caller. If it can't be made, opening says
    /// why.
    static func prepareStore(at path: String) {
        guard access(path, F_OK) != 0 else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        give(descriptor, toOwnerOf: Folder.path(of: path))
        close(descriptor)
    }

    /// Why the files of a store can't be used by this user; nil if it isn't for their permissions.
    static func denial(ofStore path: String) -> StorageFailure? {
        let real = realPath(of: path)
        for suffix in ["", "-wal", "-shm", "-journal"] {
            if let denial = denial(of: real + suffix, R_OK | W_OK) { return denial }
        }
        // SQLite makes files beside it.
        return denial(of: Folder.path(of: real), W_OK | X_OK)
    }

    /// Why this user can't use a file that is there, or can't make it in its folder; nil if it can.
    static func denial(ofFile path: String) -> StorageFailure? {
        denial(of: path, R_OK | W_OK) ?? denial(of: Folder.path(of: path), access(path, F_OK) == 0 ? X_OK : W_OK | X_OK)
    }

    private static func denial(of path: String, _ wanted: Int32) -> StorageFailure? {
        guard access(path, wanted) != 0, errno == EACCES || errno == EPERM else { return nil }
        let owner = status(of: path).map { "it belongs to \(name(of: $0.st_uid)), mode \(mode($0))" }
        return .notPermitted(
            path: path, owner: owner ?? "a folder above it keeps this user out", user: name(of: geteuid()))
    }

    /// The rights of other users to the store or its folder that they shouldn't have: lines for the operator.
    static func warnings(ofStore path: String) -> [String] {
        var lines: [String] = []
        let folder = Folder.path(of: realPath(of: path))
        if let found = status(of: folder), found.st_mode & (S_IWGRP | S_IWOTH) != 0 {
            lines.append(
                "\(folder): mode \(mode(found)) lets other users replace the store; run: chmod go-w \(folder)")
        }
        // SQLite gives the files beside it the same mode.
        if let found = status(of: path), found.st_mode & (S_IWGRP | S_IRWXO) != 0 {
            lines.append(
                "\(path): mode \(mode(found)) lets other users read or change what people wrote; run: "
                    + "chmod g-w,o-rwx \(path)")
        }
        return lines
    }

    /// The path without symbolic links, beside which SQLite keeps its files; the path itself if there is no file.
    static func realPath(of path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static func status(of path: String) -> stat? {
        var found = stat()
        return stat(path, &found) == 0 ? found : nil
    }

    private static func mode(_ found: stat) -> String { String(found.st_mode & 0o7777, radix: 8) }

    /// A user's name and number; the number alone if the system has no name for it.
    private static func name(of user: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var bytes = [CChar](repeating: 0, count: 4_096)
        guard getpwuid_r(user, &entry, &bytes, bytes.count, &found) == 0, found != nil, let name = entry.pw_name else {
            return "user \(user)"
        }
        return "\(String(cString: name)) (\(user))"
    }
}
