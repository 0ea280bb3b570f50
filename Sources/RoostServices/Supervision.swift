import Foundation
import Glibc

/// Ends this process when standard input ends: `roost up` holds the other end, and whatever ends that process closes
/// it.
package enum Supervision {
    /// Waits on a thread of its own, and then does what SIGTERM does.
    package static func begin() {
        let thread = Thread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || count < 0 && errno != EINTR { break }
            }
            kill(getpid(), SIGTERM)
        }
        thread.name = "supervision"
        thread.start()
    }
}
