import Foundation
import Glibc

/// Ends this process when standard input ends: `roost up` holds the other end, and whatever ends that process closes
/// it.
package enum Supervision {
    /// Waits on a thread of its own, and then acts like SIGTERM. A client that is slow to send a request keeps this
    /// process for so many seconds: the next `roost up` waits for the folder.
    package static func begin(seconds: UInt32 = ServicesLimits().farewellSeconds) {
        let thread = Thread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || count < 0 && errno != EINTR { break }
            }
            kill(getpid(), SIGTERM)
            sleep(seconds)
            _exit(0)
        }
        thread.name = "supervision"
        thread.start()
    }
}
