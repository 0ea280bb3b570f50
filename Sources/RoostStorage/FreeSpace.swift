/// The free space of a disk.
public enum FreeSpace {
    /// Bytes that this process may still write to the file system of a file or folder; nil if that is unknown.
    public static func bytes(at path: String) -> Int64? { Room.free(at: path) }
}
