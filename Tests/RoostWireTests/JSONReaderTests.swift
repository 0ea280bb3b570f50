import Testing

@testable import RoostWire

/// The reader agrees with a reference that follows the grammar rule by rule: on the verdict, and on every value.
@Suite struct JSONReaderTests {
    private static let depthMax = 64
    private static let membersMax = 64
    private static let bytesMax = 65_536

    /// Compares the two on a document. Returns the first difference.
    private struct Comparison: ~Copyable {
        var reader = JSONReader(bytesMax: bytesMax, depthMax: depthMax, membersMax: membersMax)
        var counts: [JSONReader.Outcome: Int] = [:]
        var values = 0

        mutating func difference(_ document: [UInt8]) -> String? {
            let outcome = document.withUnsafeBytes { reader.read($0) }
            counts[outcome, default: 0] += 1
            let isUTF8 = document.withUnsafeBytes { Text.isValid($0) }
            guard isUTF8 == (String(validating: document, as: UTF8.self) != nil) else { return "UTF-8" }
            do throws(ReferenceJSON.TooDeep) {
                guard let node = try ReferenceJSON.read(document, depthMax: depthMax) else {
                    // The reader stops where the document is too deep, whatever follows.
                    return outcome == .invalid || outcome == .tooDeep ? nil : "invalid, but \(outcome)"
                }
                guard case .object(let members) = node.value else { return "no object" }
                guard members.count <= membersMax else { return outcome == .tooManyMembers ? nil : "\(outcome)" }
                guard outcome == .valid else { return "valid, but \(outcome)" }
                guard reader.members.count == members.count else { return "count of members" }
                for (member, expected) in zip(Array(reader.members), members) {
                    guard reader.name(member).string.utf8.elementsEqual(expected.name.utf8) else { return "name" }
                    if let found = difference(member.value, expected.node) { return found }
                }
                return difference(reader.root, node)
            } catch {
                return outcome == .tooDeep || outcome == .invalid ? nil : "too deep, but \(outcome)"
            }
        }

        private mutating func difference(_ item: JSONItem, _ node: ReferenceJSON.Node) -> String? {
            values += 1
            guard reader.raw(item).bytes.elementsEqual(node.raw) else { return "raw form" }
            switch node.value {
            case .null: return item.kind == .null ? nil : "null"
            case .bool(let flag): return item.kind == (flag ? .true : .false) ? nil : "flag"
            case .number:
                let whole = Int64(String(decoding: node.raw, as: UTF8.self))
                return item.kind == (whole == nil ? .number : .integer) && item.integer == whole ?? 0 ? nil : "number"
            case .string(let text):
                return item.kind == .string && reader.text(item).bytes.elementsEqual(text.utf8) ? nil : "text"
            case .array(let elements):
                guard item.kind == .array else { return "array" }
                return difference(item, elements.map { ("", $0) })
            case .object(let members):
                guard item.kind == .object else { return "object" }
                return difference(item, members.map { ($0.name, $0.node) })
            }
        }

        private mutating func difference(_ item: JSONItem, _ expected: [(String, ReferenceJSON.Node)]) -> String? {
            var children = reader.children(of: item)
            for (name, node) in expected {
                guard let child = reader.next(&children) else { return "a child is missing" }
                guard reader.name(child).bytes.elementsEqual(name.utf8) else { return "name" }
                if let found = difference(child.value, node) { return found }
            }
            return reader.next(&children) == nil ? nil : "a child too many"
        }
    }

    /// The result of the loose reading of a document.
    private struct Loose: Equatable {
        var isObject = false
        var members: [[UInt8]] = []
        var faults: Set<JSONReader.Fault> = []
    }

    /// Reads a document loosely, after it was read strictly.
    private func readLoosely(_ document: [UInt8], _ reader: inout JSONReader) -> (JSONReader.Outcome, Loose) {
        let outcome = document.withUnsafeBytes { reader.read($0) }
        var loose = Loose()
        var items: [JSONItem] = []
        loose.isObject = reader.readLoosely { _, value, fault in
            items.append(value)
            if let fault { loose.faults.insert(fault) }
        }
        loose.members = items.map { reader.raw($0).array }
        return (outcome, loose)
    }

    @Test("the loose reading takes what the strict one does, and says why that refuses the rest")
    func loosely() {
        var documents = JSONDocuments(seed: 3)
        var reader = JSONReader(
            bytesMax: JSONReaderTests.bytesMax, depthMax: JSONReaderTests.depthMax,
            membersMax: JSONReaderTests.membersMax)
        var seen: [JSONReader.Outcome: Int] = [:]
        for _ in 0..<JSONDocuments.countOfATest {
            let document = documents.next()
            let (outcome, loose) = readLoosely(document, &reader)
            seen[outcome, default: 0] += 1
            switch outcome {
            case .valid:
                #expect(loose.isObject && loose.faults.isEmpty)
                #expect(loose.members == reader.members.map { reader.raw($0.value).array })
            case .tooManyMembers:
                #expect(loose.isObject && loose.faults.isEmpty)
                #expect(loose.members.count > JSONReaderTests.membersMax)
            case .invalid: #expect(!loose.isObject || loose.faults.contains(.halfPair))
            case .tooDeep: #expect(!loose.isObject || loose.faults.contains(.tooDeep))
            case .tooLong: continue
            }
        }
        for outcome in [.valid, .invalid, .tooDeep, .tooManyMembers] as [JSONReader.Outcome] {
            #expect(seen[outcome] ?? 0 > 0, "\(outcome)")
        }
    }

    @Test("generated and damaged documents are read as the grammar says", arguments: [1, 2] as [UInt64])
    func generated(seed: UInt64) {
        var documents = JSONDocuments(seed: seed)
        var comparison = Comparison()
        for _ in 0..<JSONDocuments.countOfATest {
            let document = documents.next()
            guard let difference = comparison.difference(document) else { continue }
            Issue.record("\(difference): \(document)")
            return
        }
        // The test is only worth something if the generator makes both kinds.
        #expect(comparison.counts[.valid, default: 0] > JSONDocuments.countOfATest / 4)
        #expect(comparison.counts[.invalid, default: 0] > JSONDocuments.countOfATest / 4)
        #expect(comparison.counts[.tooDeep, default: 0] > 0)
        #expect(comparison.values > JSONDocuments.countOfATest)
    }

    @Test("every value of two bytes between two quotation marks")
    func pairs() {
        var comparison = Comparison()
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let document = Array(#"{"":""#.utf8) + [first, second] + Array(#""}"#.utf8)
                if let difference = comparison.difference(document) {
                    Issue.record("\(difference): \(document)")
                    return
                }
            }
        }
    }

    @Test("every scalar at every offset of a word, and every byte that may not follow one")
    func scalars() {
        var comparison = Comparison()
        let edges: [UInt32] = [
            0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0x10FFFF,
        ]
        for edge in edges {
            let scalar = Array(String(Unicode.Scalar(edge) ?? "?").utf8)
            for offset in 0..<18 {
                let before = Array(#"{"":""#.utf8) + [UInt8](repeating: 0x61, count: offset)
                for behind in [
                    [], [0x61], [0x22, 0x22], [0x80], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
                ] as [[UInt8]] {
                    for cut in 0..<scalar.count {
                        let document = before + scalar.dropLast(cut) + behind + Array(#""}"#.utf8)
                        if let difference = comparison.difference(document) {
                            Issue.record("\(difference): \(document)")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test("a document of exactly as many bytes, levels and members as allowed, and of one more")
    func bounds() {
        var reader = JSONReader(bytesMax: 64, depthMax: 3, membersMax: 2)
        func outcome(_ text: String) -> JSONReader.Outcome {
            let bytes = Array(text.utf8)
            return bytes.withUnsafeBytes { reader.read($0) }
        }
        #expect(outcome(#"{"a":""# + String(repeating: "x", count: 56) + #""}"#) == .valid)
        #expect(outcome(#"{"a":""# + String(repeating: "x", count: 57) + #""}"#) == .tooLong)
        #expect(reader.members.isEmpty)
        #expect(outcome(#"{"a":[{}]}"#) == .valid)
        #expect(outcome(#"{"a":[{"b":1}]}"#) == .valid)
        #expect(outcome(#"{"a":[[[]]]}"#) == .tooDeep)
        #expect(outcome(#"{"a":1,"b":2}"#) == .valid)
        #expect(reader.members.count == 2)
        #expect(outcome(#"{"a":1,"b":2,"c":3}"#) == .tooManyMembers)
        #expect(reader.members.isEmpty)
        // Members beyond the limit are checked nevertheless.
        #expect(outcome(#"{"a":1,"b":2,"c":tru}"#) == .invalid)
        #expect(outcome("") == .invalid)
    }
}
