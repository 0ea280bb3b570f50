import Glibc

/// The service manager that started the process, if there is one. It is notified when the relay is ready, reloads and
/// stops, and regularly, if it asks for that, that the loop still turns. The protocol is a datagram of text lines to
/// the socket that `NOTIFY_SOCKET` names (systemd's sd_notify(3)). Nothing waits for it. Loop thread only.
final class ServiceNotifier {
    private let descriptor: Int32
    private let address: sockaddr_un
    private let addressLength: socklen_t
    /// Time between two signs of life, in milliseconds; nil if the manager wants none.
    private let beatMilliseconds: Int64?
    private var beatAt = Int64.max

    /// - Parameter environment: of the process.
    /// - Returns: nil if no manager has named a socket, or none that can be reached.
    init?(_ environment: [String: String]) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // `@` stands for the zero with which the name of an abstract socket begins (unix(7)).
        var name = [UInt8]((environment["NOTIFY_SOCKET"] ?? "").utf8)
        guard name.count > 1, name[0] == UInt8(ascii: "/") || name[0] == UInt8(ascii: "@"),
            name.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return nil }
        let isAbstract = name[0] == UInt8(ascii: "@")
        if isAbstract { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let head = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        self.address = address
        addressLength = socklen_t(head + name.count + (isAbstract ? 0 : 1))
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // sd_watchdog_enabled(3): a process that isn't meant leaves it alone. Twice as often as asked for.
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        beatMilliseconds = isMeant && microseconds > 0 ? max(1, microseconds / 2_000) : nil
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The relay serves clients from now on.
    func ready(at now: Int64, _ status: String) {
        tell("READY=1\nSTATUS=\(status)\n")
        if beatMilliseconds != nil { beatAt = now }
    }

    /// The relay reads its configuration again; `ready` follows.
    func reloading(at now: Int64) { tell("RELOADING=1\nMONOTONIC_USEC=\(now * 1_000)\n") }

    /// The relay drains.
    func stopping() { tell("STOPPING=1\nSTATUS=draining\n") }

    /// When `beat` is due, in monotonic milliseconds.
    var nextBeat: Int64 { beatAt }

    /// Sends a heartbeat when it is due, because the loop turns.
    func beat(at now: Int64) {
        guard let beatMilliseconds, beatAt <= now else { return }
        beatAt = now + beatMilliseconds
        tell("WATCHDOG=1\n")
    }

    private func tell(_ lines: String) {
        var (lines, address) = (lines, address)
        lines.withUTF8 { bytes in
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                    _ = sendto(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL), general, addressLength)
                }
            }
        }
    }
}
