import Foundation
import Synchronization

@testable import RoostServices

/// A folder that goes with the test.
final class TestFolder: Sendable {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "roost-services-\(UUID().uuidString)"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A clock that tests set.
final class TestClock: Sendable {
    private let time = Mutex<Int64>(1_800_000_000_000)

    var now: Int64 { time.withLock { $0 } }

    func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000 } }

    var wall: WallClock { WallClock { self.now } }
}
