import CLinux
import Foundation
import Glibc

/// The parts of this machine that a relay depends on and can't repair: the disk, its fsync, and the clock.
enum MachineExamination {
    /// Number of times that a block is written and synced. A few outliers don't move the median.
    static let syncs = 25
    /// A sync that is faster than this, in microseconds, hasn't reached any disk: an NVMe drive with a battery takes
    /// some 20, memory 2.
    static let syncLeast = 10.0
    /// With a slower one, in microseconds, people notice: a message is acked after one sync, at worst after two.
    static let syncMost = 50_000.0
    /// File systems of which a lock or a sync may not hold, by the beginnings of their names.
    static let foreign = ["nfs", "cifs", "smb", "fuse", "9p", "ceph", "gluster"]
    /// No clock is right that is before this version was written: 2026-01-01.
    static let clockLeast = 1_767_225_600.0

    /// Measures a sync in this folder, which must be there.
    static func sync(in folder: String) -> Diagnosis {
        let path = folder + "/.roost-doctor-\(getpid())"
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            return .ill(
                "disk", "\(folder) can't be written: \(String(cString: strerror(errno)))",
                mend: "give the folder to the user that Roost runs as: chown -R roost \(folder)")
        }
        defer {
            close(file)
            unlink(path)
        }
        let block = [UInt8](repeating: 0x52, count: 4_096)
        var times: [Double] = []
        for _ in 0..<syncs {
            let begin = ContinuousClock.now
            guard write(file, block, block.count) == block.count, fsync(file) == 0 else {
                return .ill(
                    "fsync", "fails: \(String(cString: strerror(errno)))",
                    mend: "free some room, or look at the disk: dmesg")
            }
            times.append(microseconds(ContinuousClock.now - begin))
        }
        times.sort()
        return judge(median: times[times.count / 2], slowest: times[times.count - 1])
    }

    static func judge(median: Double, slowest: Double) -> Diagnosis {
        let finding = "\(shown(median)) at the median, \(shown(slowest)) at worst, of \(syncs)"
        if median < syncLeast {
            return .doubtful(
                "fsync", finding,
                mend:
                    "no disk is this fast: it is memory, or ignores this, and a power cut loses messages"
            )
        }
        if median > syncMost {
            return .doubtful("fsync", finding, mend: "put the store on a local SSD: every ack waits for one")
        }
        return .well("fsync", finding)
    }

    /// The file system of a folder, by the mounts of this process (proc(5)).
    static func fileSystem(of folder: String, mounts: String? = nil) -> Diagnosis {
        let text = mounts ?? (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
        let path = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        // The innermost of the mounts above the folder; of several at one point, the last.
        var found: (point: Substring, kind: String)?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 2 else { continue }
            let point = words[1]
            guard point == "/" || path == point || path.hasPrefix(point + "/") else { continue }
            if point.count >= found?.point.count ?? 0 { found = (point, String(words[2])) }
        }
        guard let found else { return .doubtful("file system", "unknown", mend: "see that it is on a local disk") }
        let kind = found.kind
        guard foreign.contains(where: { kind.hasPrefix($0) }) else { return .well("file system", kind) }
        return .doubtful(
            "file system", "\(folder) is on \(kind)",
            mend: "keep the store on a local disk: locks and syncs of SQLite need one (sqlite.org/howtocorrupt.html)")
    }

    /// Whether the clock is right: its year, and whether something keeps it so.
    static func clock(now: Double = Date.now.timeIntervalSince1970) -> Diagnosis {
        guard now >= clockLeast else {
            return .ill(
                "clock", "it says \(Date(timeIntervalSince1970: now))",
                mend: "set it: messages get its time, and tokens are judged by it; apt-get install chrony")
        }
        guard roost_clock_is_kept() == 0 else { return .well("clock", "kept right") }
        return .doubtful(
            "clock", "nothing says that it is kept right",
            mend: "apt-get install chrony, unless the machine around this one does it")
    }

    private static func microseconds(_ time: Duration) -> Double {
        Double(time.components.seconds) * 1e6 + Double(time.components.attoseconds) / 1e12
    }

    private static func shown(_ microseconds: Double) -> String {
        microseconds < 1_000
            ? "\(Int(microseconds)) µs" : String(format: "%.1f ms", microseconds / 1_000)
    }
}
