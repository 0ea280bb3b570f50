import Foundation

/// A folder of scenario files, and where to look for it. Reads files when it's asked, before a run begins; holds no
/// state but the path.
public struct ScenarioLibrary: Sendable {
    /// Where the files are.
    public let folder: String

    /// A folder that is known.
    public init(folder: String) { self.folder = folder }

    /// The variable that names the folder.
    public static let variable = "ROOST_SCENARIOS"
    /// The folder within a checkout.
    private static let path = "LoadTests/Scenarios"
    /// From `.build/x86_64-unknown-linux-gnu/release/roost-load` to the package it's four folders.
    private static let parentsMax = 8

    /// The folder that was asked for, by option or else by variable; else that of the checkout one stands in; else
    /// that of the checkout that the executable was built in.
    public static func find(
        option: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        current: String = FileManager.default.currentDirectoryPath,
        executable: String? = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    ) throws(ScenarioFailure) -> ScenarioLibrary {
        if let option { return try asked(for: option, by: "--scenarios") }
        if let named = environment[variable], !named.isEmpty { return try asked(for: named, by: variable) }
        let here = "\(current)/\(path)"
        if isFolder(here) { return ScenarioLibrary(folder: here) }
        var parent = URL(fileURLWithPath: executable ?? "/")
        for _ in 0..<parentsMax where parent.path != "/" {
            parent.deleteLastPathComponent()
            let folder = parent.appendingPathComponent(path).path
            if isFolder(folder) { return ScenarioLibrary(folder: folder) }
        }
        throw ScenarioFailure(
            "no scenarios found: there is no \(path) here; name the folder by --scenarios or \(variable)")
    }

    /// The names of all scenarios, in order of the alphabet.
    public func names() throws(ScenarioFailure) -> [String] {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw ScenarioFailure("\(folder): can't be read")
        }
        return files.filter { $0.hasSuffix(Self.ending) && !$0.hasPrefix(".") }
            .map { String($0.dropLast(Self.ending.count)) }.sorted()
    }

    /// All scenarios, by name. The first file that isn't right is thrown.
    public func list() throws(ScenarioFailure) -> [Scenario] {
        var scenarios: [Scenario] = []
        for name in try names() { scenarios.append(try Self.read(path: "\(folder)/\(name)\(Self.ending)")) }
        return scenarios
    }

    /// The scenario of this name; or of this file, if it's a path: with a slash, or with the ending of one.
    public func scenario(_ name: String) throws(ScenarioFailure) -> Scenario {
        if name.contains("/") || name.hasSuffix(Self.ending) { return try Self.read(path: name) }
        let names = try names()
        guard names.contains(name) else {
            throw ScenarioFailure("\(name): no such scenario; \(ScenarioFailure.hint(for: name, among: names))")
        }
        return try Self.read(path: "\(folder)/\(name)\(Self.ending)")
    }

    private static let ending = ".yaml"

    private static func read(path: String) throws(ScenarioFailure) -> Scenario {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: ScenarioLimits.fileBytes + 1) ?? Data()
        else { throw ScenarioFailure("\(path): can't be read") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ScenarioFailure("\(path): larger than \(ScenarioLimits.fileBytes) bytes, or not valid UTF-8")
        }
        return try Scenario.read(text: text, file: path)
    }

    private static func asked(for folder: String, by place: String) throws(ScenarioFailure) -> ScenarioLibrary {
        guard isFolder(folder) else {
            throw ScenarioFailure(.flag(place), "\(ScenarioFailure.quoted(folder)) is no folder that can be read")
        }
        return ScenarioLibrary(folder: folder)
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
