@testable import RoostWire

/// libFuzzer's entry: any bytes as one JSON document, read by the reader and by the reference that follows the grammar.
/// Both have to agree on what it is, all the way down.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    // A block of exactly the document's size and the padding, so that AddressSanitizer notices a read beyond it.
    var reader = JSONReader(bytesMax: count, depthMax: depthMax, membersMax: membersMax)
    let outcome = bytes.withUnsafeBytes { reader.read($0) }
    defer { readLoosely(&reader, outcome) }
    check(bytes.withUnsafeBytes { Text.isValid($0) } == (String(validating: bytes, as: UTF8.self) != nil), "UTF-8")
    do throws(ReferenceJSON.TooDeep) {
        guard let expected = try ReferenceJSON.read(bytes, depthMax: depthMax) else {
            check(outcome == .invalid || outcome == .tooDeep, "not JSON, but \(outcome)")
            return 0
        }
        guard case .object(let members) = expected.value, members.count <= membersMax else {
            check(outcome == .tooManyMembers, "too many members, but \(outcome)")
            return 0
        }
        check(outcome == .valid, "JSON, but \(outcome)")
        compare(reader.root, expected, reader)
        bytes.withUnsafeBytes { readModels($0) }
    } catch {
        check(outcome == .tooDeep || outcome == .invalid, "too deep, but \(outcome)")
    }
    return 0
}

/// The loose reading takes what the strict one does, and says why that refuses the rest.
private func readLoosely(_ reader: inout JSONReader, _ outcome: JSONReader.Outcome) {
    var values: [JSONItem] = []
    var faults: Set<JSONReader.Fault> = []
    let isObject = reader.readLoosely { name, value, fault in
        _ = name?.string
        values.append(value)
        if let fault { faults.insert(fault) }
    }
    switch outcome {
    case .valid:
        check(isObject && faults.isEmpty && values.count == reader.members.count, "a valid object isn't taken loosely")
        for (loose, member) in zip(values, reader.members) {
            check(reader.raw(loose).bytes.elementsEqual(reader.raw(member.value).bytes), "raw form, read loosely")
        }
    case .tooManyMembers: check(isObject && faults.isEmpty && values.count > membersMax, "too many, read loosely")
    case .invalid, .tooDeep: check(!isObject || !faults.isEmpty, "refused for no reason")
    case .tooLong: break
    }
}

/// A client reads whatever a server says: none of it may trap.
private func readModels(_ bytes: UnsafeRawBufferPointer) {
    guard let members = JSONMembers(parsing: bytes) else { return }
    _ = Event(reading: members)
    _ = StoredMessage(reading: members)
    _ = HistoryPage(reading: members)
    _ = ConversationPage(reading: members)
    _ = CreatedConversation(reading: members)
    _ = MemberList(reading: members)
}

private let depthMax = 64
private let membersMax = 64

private func compare(_ item: JSONItem, _ expected: ReferenceJSON.Node, _ reader: borrowing JSONReader) {
    check(reader.raw(item).bytes.elementsEqual(expected.raw), "raw form")
    switch expected.value {
    case .null: check(item.kind == .null, "null")
    case .bool(let flag): check(item.kind == (flag ? .true : .false), "flag")
    case .number:
        let whole = Int64(String(decoding: expected.raw, as: UTF8.self))
        check(item.kind == (whole == nil ? .number : .integer) && item.integer == whole ?? 0, "number")
    case .string(let text): check(item.kind == .string && reader.text(item).bytes.elementsEqual(text.utf8), "text")
    case .array(let elements): compare(children: elements.map { ("", $0) }, of: item, .array, reader)
    case .object(let members): compare(children: members.map { ($0.name, $0.node) }, of: item, .object, reader)
    }
}

private func compare(
    children expected: [(String, ReferenceJSON.Node)], of item: JSONItem, _ kind: JSONItem.Kind,
    _ reader: borrowing JSONReader
) {
    check(item.kind == kind, "kind")
    var children = reader.children(of: item)
    for (name, node) in expected {
        guard let child = reader.next(&children) else { fatalError("a child is missing") }
        check(reader.name(child).bytes.elementsEqual(name.utf8), "name")
        compare(child.value, node, reader)
    }
    check(reader.next(&children) == nil, "a child too many")
}

private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
