/// libFuzzer's entry: any bytes as what arrives on a new socket. Beyond "no crash" it checks that a head that is whole
/// is not read differently before it is, or with more behind it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    switch RequestHead.read(bytes) {
    case .incomplete: check(count < RequestHead.Bounds.bytes + 2, "a head may be of any length")
    case .refused(let response): check((400..<600).contains(response.status), "a refusal isn't one")
    case .whole(let head, let length):
        check(length <= count, "a head is longer than what came")
        check(head.isOld || head.count("host") == 1, "a head without Host")
        for name in ["host", "upgrade", "connection", "content-length"] { _ = head.list(name) }
        guard case .whole(let again, length) = RequestHead.read(bytes + Array("GET".utf8)) else {
            fatalError("more behind a head changes it")
        }
        check(again.path == head.path && again.query == head.query, "more behind a head changes its target")
        guard case .incomplete = RequestHead.read(Array(bytes.prefix(length - 1))) else {
            fatalError("a part of a head is taken for something else")
        }
    }
    return 0
}

private func check(_ isTrue: Bool, _ what: String) { if !isTrue { fatalError(what) } }
