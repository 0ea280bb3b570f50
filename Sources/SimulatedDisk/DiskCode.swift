import CSQLite

/// SQLite's codes for file errors (sqlite.org/rescode.html): macros that Swift can't import.
enum DiskCode {
    static let read = of(1)
    static let shortRead = of(2)
    static let write = of(3)
    static let sync = of(4)
    static let truncate = of(6)
    static let delete = of(10)
    static let access = of(13)
    static let lock = of(15)
    static let lockMemory = of(20)
    static let mapMemory = of(21)
    static let deleteMissing = of(23)

    private static func of(_ kind: Int32) -> Int32 { SQLITE_IOERR | kind << 8 }
}
