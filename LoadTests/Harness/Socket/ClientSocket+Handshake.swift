import Glibc

extension ClientSocket {
    /// Queues the upgrade request. It is sent once TCP is connected.
    func queueRequest(_ target: SocketTarget, key: [UInt8]) {
        target.request.withUnsafeBytes { unsent.append($0) }
        key.withUnsafeBytes { unsent.append($0) }
        Array("\r\n\r\n".utf8).withUnsafeBytes { unsent.append($0) }
    }

    /// TCP is connected or has failed. Returns false if it failed.
    func becameConnected() -> Bool {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(key.descriptor, SOL_SOCKET, SO_ERROR, &code, &size) != 0 { code = errno }
        guard code == 0 else {
            end(.failed("connect: \(SocketFailure.text(of: code))"))
            return false
        }
        phase = .upgrading
        tls?.start { encrypted.append($0) }
        return true
    }

    /// Reads the answer to the upgrade. Returns its number of bytes, or 0 if it is incomplete or wrong.
    func takeAnswer(_ bytes: UnsafeRawBufferPointer, _ loop: SocketLoop) -> Int {
        switch UpgradeAnswer.read(bytes, subprotocol: subprotocol) {
        case .incomplete:
            // Any further byte may complete it.
            needed = bytes.count + 1
            return 0
        case .refused(let status):
            end(.refused(status: status))
            return 0
        case .bad(let reason):
            end(.failed(reason))
            return 0
        case .accepted(let count):
            phase = .open
            loop.opened()
            owner?.opened(self)
            return count
        }
    }
}
