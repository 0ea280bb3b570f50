/// Chooses the local address of each connection. A port is free once for each source address, and Linux hands out some
/// 28,000 of them, so a crowd on one machine needs several addresses. All of 127.0.0.0/8 is this machine's.
enum SourceAddresses {
    private static let first: UInt32 = 0x7F00_0001
    // The highest address is the network's broadcast address.
    private static let last: UInt32 = 0x7FFF_FFFE

    /// 127.0.0.1 for the first `HarnessLimits.connectionsPerAddress` connections, counted from 0, 127.0.0.2 for the
    /// next ones, and so on. In the machine's byte order. Only for a target that is a loopback address too.
    static func address(ofConnection number: Int) -> UInt32 {
        let step = UInt32(clamping: number / HarnessLimits.connectionsPerAddress)
        return step < last - first ? first + step : last
    }
}
