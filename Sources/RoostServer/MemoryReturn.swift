import CMalloc
import Dispatch
import Foundation

/// Gives memory back to the system when a wave of connections has gone. Their memory lies between blocks that are still
/// in use, so glibc would keep it. That takes milliseconds, so a thread of its own does it. `note` belongs to the loop
/// thread.
final class MemoryReturn {
    /// Number of sockets below the last peak that counts as a wave: about a megabyte.
    private static let waveSockets = 500
    /// Number of bytes below it that counts as one, too. Returning fewer isn't worth the time.
    private static let waveBytes = 16_777_216
    /// Time that the thread waits for the rest of a wave: seconds of closing handshakes.
    private static let calmSeconds = 5.0

    private let waves = DispatchSemaphore(value: 0)
    private var socketsMax = 0
    private var bytesMax = 0

    init() {
        Thread.detachNewThread { [waves] in
            while true {
                waves.wait()
                Thread.sleep(forTimeInterval: MemoryReturn.calmSeconds)
                while waves.wait(timeout: .now()) == .success {}
                malloc_trim(0)
            }
        }
    }

    /// Notes what there is at the end of a turn.
    func note(sockets: Int, bytes: Int) {
        socketsMax = max(socketsMax, sockets)
        bytesMax = max(bytesMax, bytes)
        guard socketsMax - sockets >= MemoryReturn.waveSockets || bytesMax - bytes >= MemoryReturn.waveBytes else {
            return
        }
        socketsMax = sockets
        bytesMax = bytes
        waves.signal()
    }
}
