@testable import RoostStorage

/// libFuzzer's entry: any bytes as one line of an import. A line that is taken is written again as the exporter would,
/// and read again: it must be the same, on one line.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    // A line ends at a line feed, so it can't contain one.
    guard !bytes.contains(0x0A), let line = bytes.withUnsafeBytes({ try? ExportLine(parsing: $0) }) else { return 0 }
    var writer = ExportLineWriter()
    writer.write(line)
    check(writer.bytes.last == 0x0A && writer.bytes.dropLast().allSatisfy { $0 != 0x0A }, "not one line")
    let again = writer.bytes.dropLast().withUnsafeBytes { try? ExportLine(parsing: $0) }
    check(again == line, "another line after being written")
    return 0
}

private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
