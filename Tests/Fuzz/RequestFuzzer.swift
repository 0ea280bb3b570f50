/// libFuzzer's entry: any bytes as what arrives on a new socket. Beyond "no crash" it checks that no more bytes are
/// kept than a head may have, and that a head is the same with more behind it, or in two pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    var reader = RequestReader()
    var rest = bytes
    let reading = reader.next(&rest)
    switch reading {
    case .incomplete: check(rest.count < RequestHead.Bounds.bytes, "a head may be of any length")
    case .refused(let response): check((400..<600).contains(response.status), "a refusal isn't one")
    case .whole(let head):
        check(head.isOld || head.count("host") == 1, "a head without Host")
        for name in ["host", "upgrade", "connection", "content-length"] { _ = head.list(name) }
        check(isSame(reading, first(of: bytes + Array("GET".utf8))), "more behind a head changes it")
        guard case .incomplete = first(of: Array(bytes.dropLast(rest.count + 1))) else {
            fatalError("a part of a head is taken for something else")
        }
    }
    // A different place each time, and the same one for the same bytes.
    let cut = bytes.reduce(count) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF } % (count + 1)
    var pieces = RequestReader()
    var kept = Array(bytes[..<cut])
    let early = pieces.next(&kept)
    guard case .incomplete = early else {
        check(isSame(early, reading), "a part of a head is read differently")
        return 0
    }
    kept += bytes[cut...]
    check(isSame(pieces.next(&kept), reading), "a head in two pieces is read differently")
    check(kept == rest, "a head in two pieces leaves something else")
    return 0
}

private func first(of bytes: [UInt8]) -> RequestReader.Reading {
    var reader = RequestReader()
    var rest = bytes
    return reader.next(&rest)
}

private func isSame(_ one: RequestReader.Reading, _ other: RequestReader.Reading) -> Bool {
    switch (one, other) {
    case (.incomplete, .incomplete): true
    case (.refused(let one), .refused(let other)): one.status == other.status
    case (.whole(let one), .whole(let other)):
        one.method == other.method && one.path == other.path && one.query == other.query && one.isOld == other.isOld
    default: false
    }
}

private func check(_ isTrue: Bool, _ what: String) { if !isTrue { fatalError(what) } }
