import Foundation

/// Folders for the files of one run, which only their owner may look into: they hold a signing key. No state.
enum PrivateFolder {
    static func make() throws(RunFailure) -> String {
        let place = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(place)/roost-load-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else {
            throw RunFailure("no folder can be created in \(place): \(String(cString: strerror(errno)))")
        }
        return String(cString: path)
    }

    /// Says on standard error where it is.
    static func tellKept(_ path: String) {
        try? FileHandle.standardError.write(contentsOf: Data("The relay's files are kept in \(path)\n".utf8))
    }

    /// Removes what `make` made, and nothing else. Gone is gone.
    static func remove(_ path: String) {
        guard path.split(separator: "/").last?.hasPrefix("roost-load-") == true else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// The end of a log, as part of one line for the operator. No state.
enum LogTail {
    /// The last lines, with bars between; says so if there are none.
    static func lines(of path: String, count: Int) -> String {
        guard let file = FileHandle(forReadingAtPath: path) else { return "(no log)" }
        defer { try? file.close() }
        let size = (try? file.seekToEnd()) ?? 0
        let bound = UInt64(RelayProcess.logBytesMax)
        try? file.seek(toOffset: size > bound ? size - bound : 0)
        let bytes = (try? file.read(upToCount: RelayProcess.logBytesMax)) ?? Data()
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard !lines.isEmpty else { return "(nothing)" }
        // What a process wrote must not control the terminal.
        return Readable.harmless(lines.suffix(count).map { $0.drop(while: \.isWhitespace) }.joined(separator: " | "))
    }
}
