@testable import RoostConfiguration
@testable import RoostServer

/// libFuzzer's entry: any bytes as a configuration file, then as an environment with one `NAME=value` in each line,
/// then as flags. Nothing may crash, and each refusal has a reason of one line.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let text = String(validating: bytes, as: UTF8.self) else { return 0 }
    attempt { () throws(ConfigurationFailure) in
        let settings = try ConfigurationFile.settings(text: text, path: "roost.yaml", of: .relay)
        _ = try Configuration.checked(Configuration.table.apply(settings, to: Configuration()))
    }
    var environment: [String: String] = [:]
    var flags: [ConfigurationFlag] = []
    for line in text.split(separator: "\n") {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { continue }
        environment["ROOST_" + parts[0]] = String(parts[1])
        flags.append(ConfigurationFlag("--flag", key: String(parts[0]), value: String(parts[1])))
    }
    attempt { () throws(ConfigurationFailure) in _ = try Configuration.load(environment: environment) }
    attempt { () throws(ConfigurationFailure) in _ = try Configuration.load(flags: flags) }
    return 0
}

private func attempt(_ body: () throws(ConfigurationFailure) -> Void) {
    do throws(ConfigurationFailure) {
        try body()
    } catch {
        if "\(error)".isEmpty { fatalError("refused without a reason") }
    }
}
