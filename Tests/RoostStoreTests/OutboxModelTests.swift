import RoostWire
import SeededRandom
import Testing

@testable import RoostStore

/// Random acts, answers, lost answers and crashes, against a relay that carries out each key once.
@Suite struct OutboxModelTests {
    /// The relay's messages: by key once, and in order.
    private struct Relay {
        private(set) var sequences: [String: SequenceNumber] = [:]
        private(set) var messages: [String: [String]] = [:]
        private(set) var changes: [String] = []

        mutating func carryOut(_ item: OutboxItem) -> StoredMessage? {
            guard item.isMessage else {
                if !changes.contains(item.key) { changes.append(item.key) }
                return nil
            }
            let known = sequences[item.key]
            if known == nil {
                messages[item.destination, default: []].append(item.key)
                sequences[item.key] = SequenceNumber(Int64(messages[item.destination, default: []].count))
            }
            return StoredMessage(
                conversation: item.destination, sequence: sequences[item.key] ?? .none, position: "p",
                time: Timestamp(milliseconds: 0), isDuplicate: known != nil)
        }
    }

    private struct Run {
        let file = OutboxFile()
        var outbox: Outbox
        var random: SeededGenerator
        var relay = Relay()
        var underWay: [OutboxItem] = []
        var made: [String: [String]] = [:]
        var discarded: Set<String> = []
        var count = 0

        init(seed: UInt64) throws {
            outbox = try file.open()
            random = SeededGenerator(seed: seed)
        }

        mutating func act() throws {
            count += 1
            let destination = "c\(Int.random(in: 1...3, using: &random))"
            let parent = outbox.items.filter { $0.isMessage && $0.destination == destination }
                .randomElement(using: &random)
            let target = parent.map { OutboxItem.Target.unsent($0.id) } ?? .stored(SequenceNumber(1))
            let action: OutboxItem.Action =
                switch Int.random(in: 0..<6, using: &random) {
                case 0...2: .send(kind: nil, body: [0x31], replyTo: Bool.random(using: &random) ? target : nil)
                case 3: .edit(target, body: [0x32])
                case 4: .react(target, reaction: "+1", isOn: true)
                default: .delete(target)
                }
            let item = try outbox.add(action, to: destination, key: "k\(count)")
            if item.isMessage { made[destination, default: []].append(item.key) }
        }

        /// The relay answers, or its answer is lost, or it never got the item.
        mutating func answer() throws {
            guard let index = underWay.indices.randomElement(using: &random) else { return }
            let item = underWay.remove(at: index)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try outbox.refused(item.id, nil)
            case 1:
                _ = relay.carryOut(item)
                try outbox.refused(item.id, nil)
            case 2: try outbox.refused(item.id, OutboxItem.Failure(.busy, "later"))
            case 3: try outbox.refused(item.id, OutboxItem.Failure(.tooLarge, "never"))
            default: try outbox.accepted(item.id, as: relay.carryOut(item))
            }
        }

        /// The user chooses for one that stepped aside.
        mutating func choose() throws {
            guard let item = outbox.items.filter({ $0.failure != nil }).randomElement(using: &random) else { return }
            if Bool.random(using: &random) { return try outbox.retry(item.id) }
            let gone = try? outbox.discard(item.id)
            discarded.formUnion((gone ?? []).map(\.key))
        }

        /// The app ends without a word. Some of what was under way had reached the relay.
        mutating func crash() throws {
            for item in underWay where Bool.random(using: &random) { _ = relay.carryOut(item) }
            underWay.removeAll()
            let before = outbox.items
            outbox = try file.open()
            #expect(outbox.items == before)
        }

        mutating func step() throws {
            switch Int.random(in: 0..<20, using: &random) {
            case 0...6: try act()
            case 7...11: if let item = outbox.takeNext() { underWay.append(item) }
            case 12...16: try answer()
            case 17...18: try choose()
            default: try crash()
            }
        }

        /// The user lets everything go out.
        mutating func drain() throws {
            for item in underWay { try outbox.accepted(item.id, as: relay.carryOut(item)) }
            underWay.removeAll()
            for item in outbox.items where item.failure != nil { try outbox.retry(item.id) }
            while let item = outbox.takeNext() { try outbox.accepted(item.id, as: relay.carryOut(item)) }
        }
    }

    @Test(arguments: 0..<30 as Range<UInt64>) func nothingIsLostOrDoubledOrOutOfOrder(_ seed: UInt64) throws {
        var run = try Run(seed: seed)
        for _ in 0..<300 { try run.step() }
        try run.drain()
        #expect(run.outbox.items.isEmpty)
        for (destination, made) in run.made {
            let there = run.relay.messages[destination] ?? []
            // A crash may have brought the relay one that was then refused and taken back; never one twice.
            #expect(there.filter { !run.discarded.contains($0) } == made.filter { !run.discarded.contains($0) })
            #expect(Set(there).count == there.count)
        }
    }
}
