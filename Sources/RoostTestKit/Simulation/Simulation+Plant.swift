import RoostCore
import RoostWire

/// The planted faults that change what passes between the relay and the log.
extension Simulation {
    func plant(inBatch mutations: [Mutation]) -> [Mutation] {
        guard fault == .runawayCursor else { return mutations }
        return mutations.map { mutation in
            guard case .cursor(let device, _) = mutation else { return mutation }
            hasPlanted = true
            return .cursor(device, relay.head)
        }
    }

    func answer(_ read: Read) -> ReadResult {
        var result = log.answer(read)
        guard case .page(let request) = read.question, result.events.count > 1 else { return result }
        switch fault {
        case .skippedRow where random.chance(20):
            hasPlanted = true
            result.events.remove(at: random.below(result.events.count - 1))
        case .reorderedRows where random.chance(20):
            hasPlanted = true
            result.events.swapAt(0, 1)
        case .strangersRow:
            guard let row = strangersRow(request, result) else { break }
            hasPlanted = true
            result.events.append(row)
        default: break
        }
        return result
    }

    private func strangersRow(_ request: PageRequest, _ result: ReadResult) -> StoredEvent? {
        guard !result.hasMore, let last = result.events.last?.position else { return nil }
        let asked = Set(request.spans.map(\.conversation))
        var span: [PageRequest.Span] = []
        for conversation in ledger.conversations where !conversation.isErased {
            let number = ConversationNumber(conversation.number)
            if !asked.contains(number) { span.append(.init(number, after: last, upTo: Position(ledger.head))) }
        }
        let question = PageRequest(spans: span, rows: 1, bytes: 1_000, backlogMax: nil)
        return log.answer(Read(ticket: 0, .page(question))).events.first
    }

    /// Whether a frame gets lost between the relay and its client.
    func isLost(_ event: WireEvent) -> Bool {
        switch (fault, event.kind) {
        case (.stuckTyping, .typing): !event.isActive
        case (.lostReply, .ok): random.chance(1)
        case (.lostReceipt, .receipt): isCalm
        default: false
        }
    }
}
