import Dispatch
import Foundation
import RoostAuth
import RoostWire

/// Creates the simulated users' tokens with the relay's own key. No state. It blocks the calling thread, which must not
/// be one of Swift's pool.
enum TokenMint {
    /// Returns a token for each name, in order. The tokens outlive the longest run.
    static func tokens(for names: [String], keyFile: String) throws(RunFailure) -> [String] {
        let key: SigningKey
        do throws(KeyFailure) { key = try SigningKey.load(path: keyFile) } catch {
            throw RunFailure("\(error.reason)")
        }
        let end = Int64(Date().timeIntervalSince1970 + HarnessLimits.secondsMax + 3_600)
        let box = Box()
        let isDone = DispatchSemaphore(value: 0)
        Task {
            box.result = await Self.make(names, key, expires: Timestamp(milliseconds: end * 1_000))
            isDone.signal()
        }
        isDone.wait()
        return try box.result.get()
    }

    private static func make(
        _ names: [String], _ key: SigningKey, expires: Timestamp
    ) async -> Result<[String], RunFailure> {
        var tokens: [String] = []
        tokens.reserveCapacity(names.count)
        for name in names {
            do throws(TokenFailure) {
                tokens.append(try await key.token(user: name, expires: expires))
            } catch {
                return .failure(RunFailure("no token for \(name): \(error.reason)"))
            }
        }
        return .success(tokens)
    }

    /// Carries the result: written before the semaphore is signalled, read after.
    private final class Box: @unchecked Sendable {
        var result: Result<[String], RunFailure> = .failure(RunFailure("no tokens"))
    }
}
