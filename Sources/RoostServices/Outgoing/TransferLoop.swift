import CCurl
import Glibc

/// The thread on which libcurl works, for any number of transfers at once: names are looked up by threads of libcurl's
/// own, and nothing else waits. It ends when the inbox is stopped. All of it is confined to that thread.
final class TransferLoop {
    private let settings: OutgoingSettings
    private let inbox: TransferInbox
    private var waiting: [TransferOrder] = []
    private var active: [UnsafeMutableRawPointer: Transfer] = [:]
    private var activePerSite: [String: Int] = [:]

    private init(_ settings: OutgoingSettings, _ inbox: TransferInbox) {
        self.settings = settings
        self.inbox = inbox
    }

    /// libcurl's state for the whole process, made once (curl_global_init(3)).
    private static let libraryCode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// Starts a thread, and returns its inbox.
    static func start(_ settings: OutgoingSettings) throws(OutgoingFailure) -> TransferInbox {
        guard libraryCode == CURLE_OK, let multi = curl_multi_init() else {
            throw .library("libcurl can't be set up")
        }
        _ = roost_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, settings.bounds.idleConnections)
        let inbox = TransferInbox(multi, most: settings.bounds.atOnce + settings.bounds.queue)
        let loop = Unmanaged.passRetained(TransferLoop(settings, inbox))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { held in
                // Writing into a closed connection must not end the process, and signals are for other threads.
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, nil)
                if let held { Unmanaged<TransferLoop>.fromOpaque(held).takeRetainedValue().run() }
                return nil
            }, loop.toOpaque())
        guard code == 0 else {
            loop.release()
            curl_multi_cleanup(multi)
            throw .library("pthread_create: \(code)")
        }
        pthread_detach(thread)
        return inbox
    }

    private func run() {
        while true {
            let (orders, isStopped) = inbox.take()
            waiting += orders
            if isStopped { return close() }
            let now = ContinuousClock.now
            endAbandoned(now: now)
            begin()
            var running: Int32 = 0
            _ = curl_multi_perform(inbox.multi, &running)
            // Waiting transfers can begin, so there is no time to sleep.
            if endFinished() { continue }
            _ = curl_multi_poll(inbox.multi, nil, 0, wait(now: now), nil)
        }
    }

    /// Milliseconds until the next deadline. libcurl itself wakes for its own ones.
    private func wait(now: ContinuousClock.Instant) -> Int32 {
        let deadlines = waiting.map(\.deadline) + active.values.map(\.order.deadline)
        guard let next = deadlines.min() else { return 60_000 }
        return Int32(clamping: min((next - now).milliseconds, 60_000))
    }

    /// Begins what waits, in order, without giving one site more than its share.
    private func begin() {
        var left: [TransferOrder] = []
        for order in waiting {
            let site = order.url.site
            guard active.count < settings.bounds.atOnce,
                activePerSite[site, default: 0] < settings.bounds.atOncePerHost
            else {
                left.append(order)
                continue
            }
            guard let transfer = Transfer(order, settings: settings),
                curl_multi_add_handle(inbox.multi, transfer.handle) == CURLM_OK
            else {
                finish(order, TransferEnd(cause: .library(CURLE_FAILED_INIT.rawValue)))
                continue
            }
            active[transfer.handle] = transfer
            activePerSite[site, default: 0] += 1
        }
        waiting = left
    }

    /// Ends transfers that were abandoned, or have taken too long.
    private func endAbandoned(now: ContinuousClock.Instant) {
        func cause(_ order: TransferOrder) -> TransferEnd.Cause? {
            order.isCancelled ? .cancelled : order.deadline <= now ? .overdue : nil
        }
        waiting.removeAll { order in
            guard let cause = cause(order) else { return false }
            finish(order, TransferEnd(cause: cause))
            return true
        }
        for transfer in active.values {
            guard let cause = cause(transfer.order) else { continue }
            remove(transfer)
            finish(transfer.order, TransferEnd(cause: cause))
        }
    }

    /// Hands on what has ended, and returns whether there was any.
    private func endFinished() -> Bool {
        var code = CURLE_OK
        var hasEnded = false
        while let handle = roost_curl_multi_next(inbox.multi, &code) {
            guard let transfer = active[handle] else { continue }
            let end = transfer.end(code)
            remove(transfer)
            finish(transfer.order, end)
            hasEnded = true
        }
        return hasEnded
    }

    private func remove(_ transfer: Transfer) {
        curl_multi_remove_handle(inbox.multi, transfer.handle)
        active[transfer.handle] = nil
        let site = transfer.order.url.site
        let left = activePerSite[site, default: 1] - 1
        activePerSite[site] = left > 0 ? left : nil
    }

    private func finish(_ order: TransferOrder, _ end: TransferEnd) {
        inbox.ended()
        order.finish(end)
    }

    private func close() {
        for transfer in active.values {
            remove(transfer)
            finish(transfer.order, TransferEnd(cause: .stopped))
        }
        for order in waiting { finish(order, TransferEnd(cause: .stopped)) }
        waiting = []
        curl_multi_cleanup(inbox.multi)
    }
}
