import RoostCore
import RoostWire

/// When members got messages and read them.
extension MemoryLog {
    func add(_ steps: [ReceiptStep], of user: UserNumber, in conversation: ConversationNumber) {
        guard let record = state.conversations[conversation],
            record.members.contains(where: { $0.user == user && $0.role != nil })
        else { return }
        var marks = state.receipts[conversation]?[user] ?? Marks()
        for step in steps {
            if step.isRead { marks.read.add(step) } else { marks.delivered.add(step) }
        }
        state.receipts[conversation, default: [:]][user] = marks
    }

    func receipts(_ request: ReceiptsRequest, _ ticket: UInt64) -> ReadResult {
        var result = ReadResult(ticket: ticket)
        for user in request.users {
            guard let marks = state.receipts[request.conversation]?[user] else { continue }
            result.receipts.append(
                ReceiptTimes(
                    user, delivered: marks.delivered.find(request.sequence), read: marks.read.find(request.sequence)))
        }
        return result
    }

    /// A member has read what it wrote, although that may not be stored as a step when a relay ends.
    func noteOwnSteps() {
        for (number, record) in state.conversations {
            for member in record.members where member.role != nil {
                let own = record.rows.filter {
                    $0.kind == .message && $0.sender == member.user && $0.sequence > member.joinedAfter && !$0.flag
                }
                let marks = state.receipts[number]?[member.user] ?? Marks()
                var (delivered, read) = (marks.delivered.to, marks.read.to)
                for row in own {
                    if row.sequence > delivered {
                        let step = ReceiptStep(isRead: false, after: delivered, to: row.sequence, at: row.time)
                        add([step], of: member.user, in: number)
                        delivered = row.sequence
                    }
                    if row.sequence > read {
                        let step = ReceiptStep(isRead: true, after: read, to: row.sequence, at: row.time)
                        add([step], of: member.user, in: number)
                        read = row.sequence
                    }
                }
            }
        }
    }
}
