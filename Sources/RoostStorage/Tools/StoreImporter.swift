import RoostCore
import RoostWire

/// Puts the lines of an export into a store, empty or not, with their times and sequences. Reads the file twice: first
/// to check every line against the format and the store, then to write. Positions are the store's own: rows get them in
/// the order of the file. Rows that the store has already are left as they are, so that importing twice is importing
/// once, and an import that was cut short goes on where it ended.
///
/// The store must not be in use; rows are written by the relay's own writer, in transactions of `rowsPerBatch`.
public final class StoreImporter {
    /// The result.
    public struct Result: Sendable, Equatable {
        /// Lines of the file.
        public var lines: Int64
        /// Rows that were added.
        public var added: Int64
        /// Rows that were there already.
        public var known: Int64
        /// A sentence for each other import that was cut short before.
        public var unfinished: [String] = []
    }

    /// Rows and bytes of bodies that one transaction holds.
    private static let rowsPerBatch = 1_000
    private static let bytesPerBatch = 4 << 20

    private let source: String
    private let writer: SQLiteWriter
    private let plan: ImportPlan
    private let progress: ToolProgress.Report
    private var positions: PositionMap
    private var batch: [ImportedEvent] = []
    private var batchBytes = 0
    private var settings: [(user: UserNumber, line: ExportedSetting)] = []
    /// Positions in the file of the rows in the batch.
    private var batchPositions: [Int64] = []
    /// Rows of each conversation so far, and its last message.
    private var progressOf: [String: (rows: Int, sequence: Int64)] = [:]
    private var added: Int64 = 0
    private var known: Int64 = 0

    /// Imports the file at `source` into the store at `path`, which is made if it isn't there.
    /// - Throws: `ToolFailure` or `StorageFailure`, one line for the operator.
    public static func run(
        _ source: String, into path: String, durability: Durability, progress: @escaping ToolProgress.Report
    ) throws -> Result {
        let log = try SQLiteLog(path: path, durability: durability)
        defer { log.close() }
        return try run(source, into: log, progress)
    }

    /// The same with a store that is open, for tests that count its work.
    static func run(
        _ source: String, into log: SQLiteLog, _ progress: @escaping ToolProgress.Report = { _ in }
    ) throws -> Result {
        let database = log.writer.database
        let target = try ImportTarget(database, source: source)
        var plan = ImportPlan(target)
        let lines = try read(source, "checking", progress) { try plan.take($0, number: $1) }
        try attribute(source, lines + 1) { try plan.finish() }
        let importer = StoreImporter(source, log.writer, plan, progress)
        try log.writer.transactions.run { try UnfinishedImports.begin(plan.header, in: database) }
        try importer.write(deviceMax: target.deviceMax)
        try log.writer.transactions.run {
            // It may have brought back what was too old.
            try log.writer.meta.set("expired_to", to: 0)
            try UnfinishedImports.finish(plan.header, in: database)
        }
        let unfinished = try UnfinishedImports.read(database)
        _ = try log.checkpoint()
        return Result(lines: lines, added: importer.added, known: importer.known, unfinished: unfinished)
    }

    /// Gives up the imports that were cut short, so that a relay starts on the store again. Their rows stay, but for
    /// conversations that have no members yet.
    /// - Returns: a sentence for each.
    /// - Throws: `ToolFailure` or `StorageFailure`, one line for the operator.
    public static func giveUp(_ path: String, durability: Durability) throws -> [String] {
        try StoreFile.checkExists(path)
        let log = try SQLiteLog(path: path, durability: durability)
        defer { log.close() }
        let given = try UnfinishedImports.giveUp(log.writer)
        log.writer.log.publish(log.writer.head)
        log.writer.indexer.publish(log.writer.head)
        return given
    }

    private init(
        _ source: String, _ writer: SQLiteWriter, _ plan: ImportPlan, _ progress: @escaping ToolProgress.Report
    ) {
        self.source = source
        self.writer = writer
        self.plan = plan
        self.progress = progress
        positions = PositionMap(plan.marks)
    }

    /// Reads and parses all lines; returns how many there were.
    private static func read(
        _ source: String, _ step: String, _ progress: ToolProgress.Report,
        _ body: (ExportLine, Int64) throws -> Void
    ) throws -> Int64 {
        let total = StoreFile.byteCount(source)
        let lines = try LineSource(source, bytesMax: ExportLine.bytesMax)
        while true {
            let number = lines.number + 1
            let found: Void? = try lines.next { bytes in
                try attribute(source, number) { try body(ExportLine(parsing: bytes), number) }
            }
            guard found != nil else { return lines.number }
            if number % 1_024 == 0 { progress(ToolProgress(step, lines.byteCount, of: total)) }
        }
    }

    /// Says to which line a failure belongs.
    private static func attribute(_ source: String, _ number: Int64, _ body: () throws -> Void) throws {
        do { try body() } catch let failure as ExportLineFailure {
            throw ToolFailure.line(path: source, number: number, reason: failure.reason)
        }
    }

    // MARK: Writing

    private func write(deviceMax: Int32) throws {
        let directory = try ImportDirectory(writer, plan)
        try directory.writeUsers()
        _ = try StoreImporter.read(source, "importing", progress) { line, number in
            switch line {
            case .event(let event): try take(event, number)
            case .withheld(let messages): try take(messages, number)
            case .setting(let setting): try take(setting)
            case .header, .user, .profile, .conversation, .member, .pin, .restriction, .device, .exception, .contact,
                .prospect, .invite, .report, .end:
                break
            }
        }
        try storeSettings()
        try store()
        try directory.writeMembers(positions)
        try directory.writeVeils(positions)
        try directory.writePins(positions)
        try directory.writeRestrictions()
        try directory.writeDevices(positions, above: deviceMax)
    }

    private func take(_ setting: ExportedSetting) throws {
        guard let user = plan.users[setting.user], !plan.hasLeft(setting.user) else { return }
        settings.append((UserNumber(user.number), setting))
        if settings.count >= StoreImporter.rowsPerBatch { try storeSettings() }
    }

    /// Stores settings in one transaction, with positions behind the present ones. A key that the store has is left as
    /// it is, and so is a user who has as many as there may be.
    private func storeSettings() throws {
        guard !settings.isEmpty else { return }
        try writer.change {
            for (user, line) in settings {
                var event = Append(
                    .state, in: ConversationNumber(settingsOf: user), by: user, device: line.device,
                    at: Timestamp(milliseconds: line.time))
                event.label = line.key
                event.body = line.value
                if try writer.directory.settings.adopt(event, at: writer.head + 1) { writer.head += 1 }
            }
        }
        writer.log.publish(writer.head)
        writer.indexer.publish(writer.head)
        settings.removeAll(keepingCapacity: true)
    }

    private func take(_ event: ExportedEvent, _ number: Int64) throws {
        guard let conversation = plan.conversations[event.conversation], let sender = plan.users[event.from] else {
            return
        }
        var so = progressOf[event.conversation] ?? (0, 0)
        var imported = ImportedEvent(event, conversation: conversation.number, sender: sender.number)
        imported.line = number
        imported.mentioned = plan.numbers(of: imported.extras?.mentions ?? [])
        if event.kind == .message { so.sequence = event.sequence } else { imported.sequence = so.sequence }
        if let stored = conversation.stored, so.rows < stored.count {
            if let position = plan.refreshed[number] {
                // Earlier lines of the file have to be in the log before.
                try store()
                try writer.refresh(imported, at: position)
            }
            known += 1
            positions.note(event.position, is: stored[so.rows])
        } else {
            try add(imported, event.position)
        }
        so.rows += 1
        progressOf[event.conversation] = so
    }

    private func take(_ messages: WithheldMessages, _ number: Int64) throws {
        guard let conversation = plan.conversations[messages.conversation],
            let sender = plan.users[ImportPlan.withheldUser]
        else { return }
        var so = progressOf[messages.conversation] ?? (0, 0)
        for sequence in messages.first...messages.last {
            if let stored = conversation.stored, so.rows < stored.count {
                known += 1
            } else {
                var imported = ImportedEvent(
                    withheld: sequence, at: messages.time, conversation: conversation.number, sender: sender.number)
                imported.line = number
                try add(imported, messages.position)
            }
            so = (so.rows + 1, sequence)
        }
        progressOf[messages.conversation] = so
    }

    private func add(_ event: ImportedEvent, _ position: Int64) throws {
        batch.append(event)
        batchPositions.append(position)
        batchBytes += event.body.count
        if batch.count >= StoreImporter.rowsPerBatch || batchBytes >= StoreImporter.bytesPerBatch { try store() }
    }

    /// Writes the batch in one transaction.
    private func store() throws {
        guard !batch.isEmpty else { return }
        let first: Int64
        do { first = try writer.adopt(batch) } catch let refusal as ImportRefusal {
            throw ToolFailure.line(path: source, number: refusal.line, reason: refusal.reason)
        }
        for (index, position) in batchPositions.enumerated() { positions.note(position, is: first + Int64(index)) }
        added += Int64(batch.count)
        batch.removeAll(keepingCapacity: true)
        batchPositions.removeAll(keepingCapacity: true)
        batchBytes = 0
    }
}
