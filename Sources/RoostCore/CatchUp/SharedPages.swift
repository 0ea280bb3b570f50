import RoostWire

/// Pages that other sessions may ask for: those that are being read, and the newest of those that were read and are
/// still wanted. A page is dropped when the log changes something in it.
struct SharedPages {
    /// The limits of this part.
    struct Bounds {
        /// Most conversations of a page.
        var spans: Int
        /// Most pages that are kept after they were read.
        var pages: Int
        /// Most bytes of them.
        var bytes: Int
        /// Number of times that unused pages are dropped before a used one is, too.
        var rounds: Int

        init(_ limits: Limits) {
            spans = limits.sharedPageSpans
            pages = limits.sharedPages
            bytes = limits.sharedPageBytes
            rounds = limits.sharedPageRounds
        }
    }

    private let bounds: Bounds
    private var pages: [PageRequest: CatchUpPage] = [:]
    private var kept: [CatchUpPage] = []
    private var bytes = 0

    init(_ bounds: Bounds) { self.bounds = bounds }

    subscript(_ request: PageRequest) -> CatchUpPage? {
        guard request.spans.count <= bounds.spans, let page = pages[request] else { return nil }
        page.isWanted = true
        return page
    }

    /// Adds a page that is about to be read.
    mutating func add(_ page: CatchUpPage) {
        guard page.request.spans.count <= bounds.spans else { return }
        pages[page.request] = page
    }

    /// Keeps a page that was read. The oldest ones make room for it.
    mutating func keep(_ page: CatchUpPage) {
        guard pages[page.request] === page else { return }
        kept.append(page)
        bytes += page.bytes
        while bytes > bounds.bytes || kept.count > bounds.pages, let oldest = kept.first { forget(oldest) }
    }

    /// Drops pages with events of a conversation whose log has changed.
    mutating func forget(_ conversation: ConversationNumber) {
        guard !pages.isEmpty else { return }
        let changed = pages.values.filter { $0.request.spans.contains { $0.conversation == conversation } }
        for page in changed { forget(page) }
    }

    /// Drops pages that were not asked for since the last call, and those that are old: the log erases messages because
    /// of their age without an event.
    mutating func forgetUnwanted() {
        for page in kept where !page.isWanted || page.rounds >= bounds.rounds { forget(page) }
        for page in kept {
            page.isWanted = false
            page.rounds += 1
        }
    }

    mutating func forget(_ page: CatchUpPage) {
        guard pages[page.request] === page else { return }
        pages[page.request] = nil
        guard let index = kept.firstIndex(where: { $0 === page }) else { return }
        kept.remove(at: index)
        bytes -= page.bytes
    }
}
