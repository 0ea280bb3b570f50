import RoostWire

/// Pages that other sessions may ask for: those that are being read, and the newest of those that were read and are
/// still wanted. A page is dropped when the log changes something in it. The Relay sets the limit.
struct SharedPages {
    /// A user who missed events in more conversations than this hardly shares the page with anybody.
    private static let spansMax = 8
    /// Few enough to check at each edit.
    private static let keptMax = 256

    private var pages: [PageRequest: CatchUpPage] = [:]
    private var kept: [CatchUpPage] = []
    private var bytes = 0

    subscript(_ request: PageRequest) -> CatchUpPage? {
        guard request.spans.count <= Self.spansMax, let page = pages[request] else { return nil }
        page.isWanted = true
        return page
    }

    /// Adds a page that is about to be read.
    mutating func add(_ page: CatchUpPage) {
        guard page.request.spans.count <= Self.spansMax else { return }
        pages[page.request] = page
    }

    /// Keeps a page that was read. The oldest ones make room for it.
    mutating func keep(_ page: CatchUpPage, bytesMax: Int) {
        guard pages[page.request] === page else { return }
        kept.append(page)
        bytes += page.bytes
        while bytes > bytesMax || kept.count > Self.keptMax, let oldest = kept.first { forget(oldest) }
    }

    /// Drops pages with events of a conversation whose log has changed.
    mutating func forget(_ conversation: ConversationNumber) {
        guard !pages.isEmpty else { return }
        let changed = pages.values.filter { $0.request.spans.contains { $0.conversation == conversation } }
        for page in changed { forget(page) }
    }

    /// Drops pages that nobody has asked for since the last call.
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
