/// Work that the database says is due: it is done after each `wake`, and again after a pause until nothing is left. One
/// task runs it.
package final class DueWork: Sendable {
    private let signal: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    private let pause: @Sendable (Int) async throws -> Void

    /// - Parameter pause: waits after so many failures in a row.
    package init(pause: @escaping @Sendable (Int) async throws -> Void = DueWork.pause) {
        self.pause = pause
        (signal, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Work that a process before this one didn't finish.
        wakeUp.yield()
    }

    /// There may be something new.
    package func wake() { wakeUp.yield() }

    /// Half a second at first, doubled up to 8, and as much again by chance, so that several don't come together.
    @Sendable package static func pause(_ failures: Int) async throws {
        let seconds = 0.5 * Double(1 << min(max(failures - 1, 0), 4))
        try await Task.sleep(for: .seconds(seconds * Double.random(in: 1...2)))
    }

    /// The end of a part of the work.
    enum Part {
        /// Nothing is due.
        case last
        /// It is done, and more may be due.
        case done
        /// It is still due.
        case failed
    }

    /// Runs until the task is cancelled.
    /// - Parameters:
    ///   - rest: is called when nothing is due.
    ///   - work: does the next part.
    func run(rest: () async -> Void = {}, _ work: () async -> Part) async {
        for await _ in signal {
            var failures = 0
            working: while !Task.isCancelled {
                switch await work() {
                case .last: break working
                case .done: failures = 0
                case .failed:
                    failures += 1
                    do { try await pause(failures) } catch { return }
                }
            }
            if Task.isCancelled { return }
            await rest()
        }
    }
}
