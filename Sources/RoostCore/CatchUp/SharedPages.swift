import RoostWire

/// The pages that somebody else may ask for: those that are being read, and the newest of those that were, as far as
/// they are still wanted. A page goes when something in it changes in the log. It doesn't judge: the limit is the
/// Relay's.
struct SharedPages {
    /// A user who missed something in more conversations hardly shares that with anybody.
    private static let spansMax = 8
    /// Few enough to look through at each edit.
    private static let keptMax = 256

    private var pages: [PageRequest: CatchUpPage] = [:]
    private var kept: [CatchUpPage] = []
    private var bytes = 0

    subscript(_ request: PageRequest) -> CatchUpPage? {
        guard request.spans.count <= Self.spansMax, let page = pages[request] else { return nil }
        page.isWanted = true
        return page
    }

    /// A page that is about to be read.
    mutating func add(_ page: CatchUpPage) {
        guard page.request.spans.count <= Self.spansMax else { return }
        pages[page.request] = page
    }

    /// A page was read, and takes memory; the oldest ones make room for it.
    mutating func keep(_ page: CatchUpPage, bytesMax: Int) {
        guard pages[page.request] === page else { return }
        kept.append(page)
        bytes += page.bytes
        while bytes > bytesMax || kept.count > Self.keptMax, let oldest = kept.first { forget(oldest) }
    }

    /// What the log has there isn't what it was.
    mutating func forget(_ conversation: ConversationNumber) {
        guard !pages.isEmpty else { return }
        let changed = pages.values.filter { $0.request.spans.contains { $0.conversation == conversation } }
        for page in changed { forget(page) }
    }

    /// Pages that nobody has asked for since the last call go.
    mutating func forgetUnwanted() {
        for page in kept where !page.isWanted { forget(page) }
        for page in kept { page.isWanted = false }
    }

    mutating func forget(_ page: CatchUpPage) {
        guard pages[page.request] === page else { return }
        pages[page.request] = nil
        guard let index = kept.firstIndex(where: { $0 === page }) else { return }
        kept.remove(at: index)
        bytes -= page.bytes
    }
}
