#if canImport(Network)
    import Dispatch
    import Network
    public import RoostClient

    /// Reports when an Apple device changes its network (developer.apple.com/documentation/network/nwpathmonitor).
    public struct NetworkPathMonitor: NetworkMonitor {
        /// Creates a monitor. It watches as long as there is a reader.
        public init() {}

        /// The status now, and whenever it changes.
        public func statuses() -> AsyncStream<NetworkStatus> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let monitor = NWPathMonitor()
                monitor.pathUpdateHandler = { continuation.yield(NetworkStatus($0)) }
                continuation.onTermination = { _ in monitor.cancel() }
                monitor.start(queue: DispatchQueue(label: "roost.network"))
            }
        }
    }

    extension NetworkStatus {
        fileprivate init(_ path: NWPath) {
            let isReachable = path.status == .satisfied
            var kind: Kind?
            if isReachable {
                kind =
                    if path.usesInterfaceType(.wifi) { .wifi } else if path.usesInterfaceType(.cellular) {
                        .cellular
                    } else if path.usesInterfaceType(.wiredEthernet) { .wired } else { .other }
            }
            self.init(isReachable: isReachable, kind: kind, isExpensive: path.isExpensive)
        }
    }
#endif
