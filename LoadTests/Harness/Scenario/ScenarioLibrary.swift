import Foundation
import RoostConfiguration

/// A folder of scenario files. It reads files on demand, before a run begins, and stores only the path.
public struct ScenarioLibrary: Sendable {
    /// The path of the folder.
    public let folder: String

    /// A library in a known folder.
    public init(folder: String) { self.folder = folder }

    /// The environment variable that names the folder.
    public static let variable = "ROOST_SCENARIOS"
    /// The folder within a checkout.
    private static let path = "LoadTests/Scenarios"
    /// From `.build/x86_64-unknown-linux-gnu/release/roost-load` up to the package there are four folders.
    private static let parentsMax = 8

    /// Finds the folder: the one given by option or by variable; otherwise that of the checkout we are in; otherwise
    /// that of the checkout in which this program was built.
    public static func find(
        option: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        current: String = FileManager.default.currentDirectoryPath,
        executable: String? = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    ) throws(ConfigurationFailure) -> ScenarioLibrary {
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
        throw ConfigurationFailure(
            "no scenarios found, because there is no \(path) here; name the folder with --scenarios or \(variable)")
    }

    /// The names of all scenarios in alphabetical order.
    public func names() throws(ConfigurationFailure) -> [String] {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw ConfigurationFailure("\(folder): can't be read")
        }
        return files.filter { $0.hasSuffix(Self.ending) && !$0.hasPrefix(".") }
            .map { String($0.dropLast(Self.ending.count)) }.sorted()
    }

    /// All scenarios by name. Throws at the first file with a mistake.
    public func list() throws(ConfigurationFailure) -> [Scenario] {
        var scenarios: [Scenario] = []
        for name in try names() { scenarios.append(try Self.read(path: "\(folder)/\(name)\(Self.ending)")) }
        return scenarios
    }

    /// The scenario with this name, or in this file if the name has a slash or the ending of a file.
    public func scenario(_ name: String) throws(ConfigurationFailure) -> Scenario {
        if name.contains("/") || name.hasSuffix(Self.ending) { return try Self.read(path: name) }
        let names = try names()
        guard names.contains(name) else {
            throw ConfigurationFailure("\(name): no such scenario; \(EditDistance.hint(for: name, among: names))")
        }
        return try Self.read(path: "\(folder)/\(name)\(Self.ending)")
    }

    private static let ending = ".yaml"

    private static func read(path: String) throws(ConfigurationFailure) -> Scenario {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: ScenarioLimits.fileBytes + 1) ?? Data()
        else { throw ConfigurationFailure("\(path): can't be read") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ConfigurationFailure("\(path): larger than \(ScenarioLimits.fileBytes) bytes, or not valid UTF-8")
        }
        return try Scenario.read(text: text, file: path)
    }

    private static func asked(for folder: String, by place: String) throws(ConfigurationFailure) -> ScenarioLibrary {
        guard isFolder(folder) else {
            let name = ConfigurationFailure.quoted(folder)
            throw ConfigurationFailure(.flag(place), "\(name) is not a folder that can be read")
        }
        return ScenarioLibrary(folder: folder)
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
