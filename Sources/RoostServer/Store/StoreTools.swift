import Foundation
public import RoostConfiguration
import RoostCore
import RoostStorage
import RoostWire

/// An operator's work on a store besides serving it: check, back up, restore, export and import. One call does one
/// piece of work on the calling thread. It finds the store by the configuration, and reports the result in plain lines.
public struct StoreTools {
    /// The progress of a command: its step, and a share from 0 to 1 if it is known.
    public typealias Progress = @Sendable (_ step: String, _ share: Double?) -> Void

    /// The result of a command.
    public struct Outcome: Sendable {
        /// Lines to print: findings.
        public var lines: [String] = []
        /// The last line: what was done, with counts.
        public var summary: String
        /// Nothing is damaged.
        public var isSound = true
    }

    /// The contents of an export.
    public enum Scope: Sendable {
        case all
        case user(String)
        case conversation(String)
    }

    private let path: String
    private let durability: Durability
    private let rules: PolicyRules
    private let report: ToolProgress.Report

    /// Creates tools for the store of this configuration.
    /// - Throws: `ConfigurationFailure` if it is kept in memory only.
    public init(_ configuration: Configuration, progress: @escaping Progress) throws(ConfigurationFailure) {
        guard configuration.store.durability != .memory else {
            throw ConfigurationFailure("store.durability: a store that is kept in memory has no file to work on")
        }
        path = configuration.store.path
        durability = configuration.store.durability
        rules = configuration.rules
        report = { progress($0.step, $0.total > 0 ? Double($0.done) / Double($0.total) : nil) }
        // Whatever is made from here on holds what people wrote to each other.
        umask(0o077)
    }

    /// Reads all of the store. Works while a relay runs.
    public func verify() throws(StoreToolFailure) -> Outcome {
        try attempt {
            let found = try StoreVerifier.run(path, progress: report)
            let size =
                "\(counted(found.rows, "row")), \(counted(Int64(found.conversations), "conversation")), "
                + "\(counted(Int64(found.users), "user")), up to position \(found.head)"
            guard !found.isSound else { return Outcome(summary: "\(path) is sound: \(size)") }
            var lines = found.findings.map(\.description)
            let untold = found.findingCount - found.findings.count
            if untold > 0 { lines.append("and \(counted(Int64(untold), "finding")) more") }
            guard found.damageCount > 0 else {
                return Outcome(lines: lines, summary: "\(path) isn't complete: \(size)", isSound: false)
            }
            return Outcome(
                lines: lines,
                summary: "\(path) is damaged: \(counted(Int64(found.findingCount), "finding")) in \(size)",
                isSound: false)
        }
    }

    /// Looks for bytes that belong to no row. Works while a relay runs.
    public func verifyErased() throws(StoreToolFailure) -> Outcome {
        try attempt {
            let found = try StaleBytes.find(in: path, progress: report)
            let pages = counted(Int64(found.pages), "page")
            guard !found.isClean else { return Outcome(summary: "\(path) keeps nothing erased: \(pages)") }
            let kinds = [
                (found.tablePages, "of tables and indexes"), (found.textPages, "of long texts"),
                (found.unusedPages, "out of use"),
            ]
            var lines = kinds.compactMap { count, kind in
                count > 0 ? "\(counted(Int64(count), "page")) \(kind) with bytes of no row" : nil
            }
            if found.stalePages > 0 {
                lines.append(
                    "stop the relay and run `roost store reindex` to overwrite them; backups made now are clean")
            }
            if found.damagedPages > 0 {
                lines.append("\(counted(Int64(found.damagedPages), "page")) can't be read, see `roost store verify`")
            }
            return Outcome(
                lines: lines,
                summary: "\(path) may keep erased texts: \(counted(found.bytes, "byte")) of no row in "
                    + "\(counted(Int64(found.stalePages), "page")) of \(found.pages)",
                isSound: false)
        }
    }

    /// Makes anew whatever is derived from the log. The relay has to be stopped.
    public func reindex() throws(StoreToolFailure) -> Outcome {
        try attempt {
            let rows = try StoreReindexer.run(path, durability: durability, progress: report)
            return Outcome(summary: "\(path) has its indexes made anew from \(counted(rows, "row"))")
        }
    }

    /// Writes lines to `target`, or to standard output. Works while a relay runs.
    public func export(_ scope: Scope, to target: String?) throws(StoreToolFailure) -> Outcome {
        try attempt {
            let wanted: StoreExporter.Scope =
                switch scope {
                case .all: .all
                case .user(let name): .user(name)
                case .conversation(let id): .conversation(id)
                }
            let done = try StoreExporter.run(
                path, scope: wanted, to: target, now: Int64(Date().timeIntervalSince1970 * 1_000), progress: report)
            var summary = "\(counted(done.lines, "line")) (\(megabytes(done.bytes))) exported from \(path)"
            if done.withheld > 0 { summary += ", \(counted(done.withheld, "message")) withheld" }
            guard done.damaged > 0 else {
                return Outcome(lines: done.unfinished, summary: summary, isSound: done.unfinished.isEmpty)
            }
            return Outcome(
                lines: done.unfinished,
                summary: "\(summary); \(counted(done.damaged, "row")) left out as damaged, see `roost store verify`",
                isSound: false)
        }
    }

    /// Puts the lines of a file into the store. The relay has to be stopped.
    public func importLines(of source: String) throws(StoreToolFailure) -> Outcome {
        try attempt {
            let done = try StoreImporter.run(source, into: path, durability: durability, progress: report)
            return Outcome(
                lines: done.unfinished,
                summary: "\(counted(done.lines, "line")) of \(source) imported into \(path): "
                    + "\(counted(done.added, "row")) added, \(counted(done.known, "row")) there already")
        }
    }

    /// Gives up the imports that were cut short. The relay has to be stopped.
    public func giveUpImports() throws(StoreToolFailure) -> Outcome {
        try attempt {
            let given = try StoreImporter.giveUp(path, durability: durability)
            return Outcome(
                lines: given, summary: "\(counted(Int64(given.count), "unfinished import")) given up in \(path)")
        }
    }

    /// Erases a user and what the user wrote. The relay has to be stopped.
    public func erase(user: String) throws(StoreToolFailure) -> Outcome {
        try attempt {
            let done = try UserEraser.run(
                path, user: user, durability: durability, now: Int64(Date().timeIntervalSince1970 * 1_000),
                progress: report)
            let summary =
                "\(user) is erased from \(path): \(counted(Int64(done.messages), "message")), "
                + "\(counted(Int64(done.reactions), "reaction")), "
                + "\(counted(Int64(done.devices), "device")), "
                + "\(counted(Int64(done.conversations), "conversation")) left"
            guard done.damaged > 0 else { return Outcome(summary: summary) }
            return Outcome(
                summary: "\(summary); \(counted(Int64(done.damaged), "row")) can't be read or erased, see "
                    + "`roost store verify`",
                isSound: false)
        }
    }

    /// The options of `inferContacts`.
    public struct Inference: Sendable {
        /// The two roles, as `contacts.kinds` has them.
        public var kind: String
        /// Whether pairs that share only a group count, too.
        public var hasGroups = false
        /// Takes back what earlier runs have made.
        public var isUndo = false
        /// Only says what would be done.
        public var isTrial = false

        /// Infers contacts of this kind.
        public init(_ kind: String) { self.kind = kind }
    }

    /// Makes contacts from conversations between users with the two roles, or takes that back. The relay has to be
    /// stopped, unless it is only a trial.
    public func inferContacts(_ inference: Inference) throws(StoreToolFailure) -> Outcome {
        let wanted = ContactKind(inference.kind)
        guard wanted.one != wanted.other else {
            throw StoreToolFailure(
                "--kind: \(inference.kind) doesn't say who is who; expected two words such as trainer/client",
                isMistake: true)
        }
        guard inference.isUndo || rules.contactKinds.contains(wanted) else {
            throw StoreToolFailure("--kind: contacts.kinds doesn't have \(inference.kind)", isMistake: true)
        }
        return try attempt {
            inference.isUndo ? try undo(inference, wanted) : try make(inference, wanted)
        }
    }

    private func undo(_ inference: Inference, _ kind: ContactKind) throws -> Outcome {
        let done =
            inference.isTrial
            ? try ContactInference.tryUndo(path, kind: kind)
            : try ContactInference.undo(path, kind: kind, durability: durability)
        let verb = inference.isTrial ? "would be removed from" : "removed from"
        return Outcome(summary: "\(counted(Int64(done.contacts), "inferred contact")) \(verb) \(path)")
    }

    private func make(_ inference: Inference, _ kind: ContactKind) throws -> Outcome {
        let done =
            inference.isTrial
            ? try ContactInference.tryOut(path, kind: kind, groups: inference.hasGroups, progress: report)
            : try ContactInference.apply(
                path, kind: kind, groups: inference.hasGroups, durability: durability, progress: report)
        let reasons: [ContactInference.Skip: String] = [
            .roles: "don't have \(kind.one) and \(kind.other)", .members: "have not two members",
            .request: "wait to be accepted", .known: "are of users who are contacts or invited already",
        ]
        let lines = ContactInference.Skip.allCases.compactMap { skip in
            done.skipped[skip].map { "\(counted(Int64($0), "conversation")) skipped: \(reasons[skip] ?? "")" }
        }
        let made = counted(Int64(done.contacts), "contact")
        let noun = inference.hasGroups ? "conversation" : "direct conversation"
        return Outcome(
            lines: lines,
            summary: "\(made) \(inference.isTrial ? "would be made in" : "made in") \(path) of "
                + counted(Int64(done.conversations), noun))
    }

    /// Copies the store to a new file. Works while a relay runs.
    public func backUp(to target: String) throws(StoreToolFailure) -> Outcome {
        try attempt {
            let done = try StoreBackup.run(from: path, to: target, progress: report)
            return Outcome(
                summary: "\(path) is copied to \(target): \(megabytes(done.bytes)), up to position \(done.head)")
        }
    }

    /// Checks a backup and puts it in the place of the store. The relay has to be stopped.
    public func restore(from backup: String) throws(StoreToolFailure) -> Outcome {
        try attempt {
            let form = DateFormatter()
            form.locale = Locale(identifier: "en_US_POSIX")
            form.timeZone = TimeZone(identifier: "UTC")
            form.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
            let done = try StoreRestore.run(
                from: backup, to: path, stamp: form.string(from: Date()), progress: report)
            let kept = done.kept.map { "; the store that was there is kept as \($0)" } ?? ""
            return Outcome(
                summary: "\(path) is restored from \(backup), up to position \(done.head); "
                    + "its epoch is \(done.newEpoch), no longer \(done.oldEpoch)\(kept)")
        }
    }

    private func attempt(_ body: () throws -> Outcome) throws(StoreToolFailure) -> Outcome {
        do {
            return try body()
        } catch let failure as ToolFailure {
            throw StoreToolFailure("\(failure)", isMistake: failure.isMistake)
        } catch let failure as StorageFailure {
            throw StoreToolFailure(failure.commandDescription, isMistake: failure.isMistake)
        } catch {
            throw StoreToolFailure("\(error)", isMistake: false)
        }
    }

    private func counted(_ count: Int64, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private func megabytes(_ bytes: Int64) -> String {
        String(format: "%.1f MB", locale: Locale(identifier: "en_US_POSIX"), Double(bytes) / 1_000_000)
    }
}

/// Why a command on a store failed: one line for the operator.
public struct StoreToolFailure: Error, Sendable, CustomStringConvertible {
    /// The line.
    public let description: String
    /// Whether the request can't be carried out, now or later: a wrong path, a wrong name.
    public let isMistake: Bool

    init(_ description: String, isMistake: Bool) {
        self.description = description
        self.isMistake = isMistake
    }
}
