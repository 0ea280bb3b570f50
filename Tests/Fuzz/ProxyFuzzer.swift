/// libFuzzer's entry: any bytes as the header of the PROXY protocol, and as `X-Forwarded-For`. Beyond "no crash" it
/// checks that a header is the same with more behind it, that a part of one is awaited, and that a client's claims
/// don't change the address that our proxy names behind them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    switch ProxyHeader.read(bytes) {
    case .incomplete: check(bytes.count < ProxyHeader.bytesMax, "a header may be of any length")
    case .invalid: break
    case .header(let length, let client):
        check(length <= bytes.count, "a header is longer than what has arrived")
        let header = Array(bytes.prefix(length))
        check(ProxyHeader.read(header + [0x47]) == .header(count: length, client: client), "more behind it changes it")
        check(ProxyHeader.read(Array(header.dropLast())) == .incomplete, "a part is taken for something else")
    }
    guard let proxies = ProxyList(["10.0.0.0/8"]), let named = ClientAddress("203.0.113.7") else {
        fatalError("these are addresses")
    }
    let claimed = String(decoding: bytes, as: UTF8.self)
    let proxy = ClientAddress(ipv4: 10 << 24 + 1)
    check(proxies.origin(of: proxy, forwardedFor: claimed + ", 203.0.113.7") == named, "a claim is believed")
    check(proxies.origin(of: named, forwardedFor: claimed) == named, "a stranger is believed")
    let alone = proxies.origin(of: proxy, forwardedFor: claimed)
    if !claimed.contains(where: { $0.isHexDigit || $0 == ":" }) { check(alone == proxy, "an address out of nothing") }
    return 0
}

private func check(_ isTrue: Bool, _ what: String) { if !isTrue { fatalError(what) } }
