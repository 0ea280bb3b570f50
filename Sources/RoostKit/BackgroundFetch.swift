/// Result of a background fetch.
public struct FetchResult: Sendable, Equatable {
    /// The number for the app's icon.
    public var badge: Int
    /// Whether everything that was missed has come, and everything that waited is sent or refused.
    public var isComplete: Bool
    /// Why it ended before that; nil if it was complete, or if its time was over.
    public var failure: ConnectionFailure?
}

extension Roost {
    /// Gets missed events and sends waiting items, and doesn't make the user online: the whole work of a refresh task
    /// of the system. The session ends when it returns. The fetched data is on disk, also if the task is cancelled.
    /// - Parameter time: how long it may take; then it returns with the data so far.
    /// - Throws: `LocalFailure` if the file can't be opened.
    public static func fetch(_ settings: RoostSettings, within time: Duration) async throws -> FetchResult {
        var settings = settings
        settings.isBackground = true
        let roost = try await Roost(settings)
        await roost.connect()
        let result = await roost.fetched(within: time, clock: settings.clock)
        await roost.disconnect()
        return result
    }

    /// Returns when everything that was missed has come and nothing waits, or when the time is over: for an app that
    /// has a `Roost` already, because it was suspended and not ended.
    /// - Parameter clock: measures the time.
    public func fetched(within time: Duration, clock: any Clock<Duration> = ContinuousClock()) async -> FetchResult {
        let snapshots = snapshots()
        let reader = Task { for await now in snapshots where now.isFetched || now.connection.failure != nil { return } }
        let limit = Task {
            try? await clock.sleep(for: time)
            reader.cancel()
        }
        await withTaskCancellationHandler {
            await reader.value
        } onCancel: {
            reader.cancel()
        }
        limit.cancel()
        return FetchResult(badge: badge, isComplete: snapshot.isFetched, failure: connection.failure)
    }
}

extension RoostSnapshot {
    // Whether everything has come, and nothing waits for the relay.
    fileprivate var isFetched: Bool { isUpToDate && waitingCount == 0 }
}

extension ConnectionState {
    fileprivate var failure: ConnectionFailure? {
        if case .failed(let why) = self { why } else { nil }
    }
}
