import RoostStore
import RoostWire

/// An operator's work on users' reports. The relay has the reports; each act is written to the audit log before it is
/// done, so that nothing is read or done unseen. It knows no HTTP. A value.
struct ReportDesk: Sendable {
    /// The ways to close a report.
    enum Action: String, Sendable, CaseIterable {
        /// Nothing needs to be done.
        case dismiss
        /// The message is deleted.
        case remove
        /// The user is written to.
        case warn
        /// The user's account is suspended.
        case suspend

        /// The note for other operators.
        fileprivate var note: String {
            switch self {
            case .dismiss: "dismissed"
            case .remove: "removed the message"
            case .warn: "warned the user"
            case .suspend: "suspended the account"
            }
        }

        fileprivate var act: AuditEntry.Act {
            switch self {
            case .dismiss, .suspend: .close
            case .remove: .remove
            case .warn: .warn
            }
        }
    }

    /// Most bytes of a note, and of words for the user: together with ours they are a note of the relay's.
    static let wordsMax = 900

    let operators: Operators
    let relay: any RelayCommands

    /// A page of reports, as the relay writes it.
    func list(
        _ state: ReportState?, after: Int64?, limit: Int64
    ) async throws(ServiceFault) -> [UInt8] {
        var members = [RelayCommand.Member(name: "limit", number: limit)]
        if let state { members.append(.init(name: "state", text: "\(state.word)")) }
        if let after { members.append(.init(name: "after", number: after)) }
        return try await ask(.reports, members, for: "reports")
    }

    /// A report with the message and its surroundings, as the relay writes it, and the reported user's account.
    func show(
        _ number: Int64, to caller: Operators.Caller
    ) async throws(ServiceFault) -> (reported: JSONMembers, account: Account?) {
        let reported = try await find(number)
        let user = reported.string("user")
        try await operators.note(
            AuditEntry(actor: caller.name, act: .read, user: user, detail: ReportDesk.detail(number)))
        let shown = try await ask(.showReport, [.init(name: "report", number: number)], for: "reported")
        guard let members = shown.withUnsafeBytes({ JSONMembers(parsing: $0) }) else { throw ReportDesk.unreadable }
        return (members, try await account(of: user))
    }

    /// Does something about a report and closes it. To do it again after a lost answer does no more.
    /// - Parameters:
    ///   - note: what other operators should know.
    ///   - words: what a warned user reads beside the usual words.
    func close(
        _ number: Int64, by action: Action, note: String?, words: String?, _ caller: Operators.Caller
    ) async throws(ServiceFault) {
        try await operators.requireFresh(caller)
        for (name, text) in [("note", note), ("text", words)] where (text ?? "").utf8.count > ReportDesk.wordsMax {
            throw .invalid(name, "must have at most \(ReportDesk.wordsMax) bytes")
        }
        let report = try await find(number)
        guard report.string("state") == "open" else { throw ServiceFault(.conflict, "the report was closed before") }
        let user = report.string("user")
        if action != .suspend {
            try await operators.note(
                AuditEntry(actor: caller.name, act: action.act, user: user, detail: ReportDesk.detail(number)))
        }
        switch action {
        case .dismiss: break
        case .remove: try await remove(number)
        case .warn: try await warn(user, about: report, number, words)
        case .suspend:
            guard let user, try await account(of: user) != nil else {
                throw ServiceFault(.userNotFound, "the reported user has no account here")
            }
            _ = try await operators.suspend(user, by: caller, detail: ReportDesk.detail(number))
        }
        let said = note.map { $0.isEmpty ? "" : ": " + $0 } ?? ""
        _ = try await relay.carryOut(
            RelayCommand(
                .closeReport,
                [
                    .init(name: "report", number: number), .init(name: "note", text: action.note + said),
                    .init(name: "by", text: caller.name),
                ]))
    }

    private func remove(_ number: Int64) async throws(ServiceFault) {
        _ = try await relay.carryOut(RelayCommand(.removeReported, [.init(name: "report", number: number)]))
    }

    /// Writes to the user, from a name that can't be signed in to: no operator is named, and none can be written to.
    private func warn(
        _ user: String?, about report: JSONMembers, _ number: Int64, _ words: String?
    ) async throws(ServiceFault) {
        guard let user else { throw ServiceFault(.userNotFound, "nobody knows who wrote the message") }
        let language = try await account(of: user)?.language ?? "en"
        let text = ModeratorLetter(language).warning(
            group: report.string("group"), isMessage: report.has("sequence"), reason: report.string("reason") ?? "",
            words: words ?? "")
        let sender = RelayCommand.Member(name: "user", text: ModeratorLetter.sender)
        _ = try await relay.carryOut(
            RelayCommand(.profile, [sender, .init(name: "name", text: ModeratorLetter.name)]))
        do throws(ServiceFault) {
            _ = try await relay.carryOut(
                RelayCommand(
                    .send,
                    [
                        .init(name: "as", text: ModeratorLetter.sender), .init(name: "to", text: "@" + user),
                        .init(name: "key", text: "report-\(number)"), .init(name: "body", text: text),
                    ]))
        } catch {
            guard error.code == .noRelationship else { throw error }
            throw ServiceFault(
                .noRelationship, "the gate (gate.mode) lets no stranger write to this user, not even moderators")
        }
    }

    // MARK: Asking the relay

    private static let unreadable = ServiceFault(.unavailable, "the relay's answer lacks what it promises")
    static func detail(_ number: Int64) -> String { "report \(number)" }

    /// The report, without the message.
    private func find(_ number: Int64) async throws(ServiceFault) -> JSONMembers {
        guard number > 0 else { throw ServiceFault(.notFound, "there is no such report") }
        var members = [RelayCommand.Member(name: "limit", number: 1)]
        if number > 1 { members.append(.init(name: "after", number: number - 1)) }
        let page = try await ask(.reports, members, for: "reports")
        let list = page.withUnsafeBytes { JSONMembers(parsing: $0) }?.objects("list") ?? []
        guard let report = list.first, report.integer("report") == number else {
            throw ServiceFault(.notFound, "there is no such report")
        }
        return report
    }

    private func ask(
        _ type: CommandType, _ members: [RelayCommand.Member], for name: String
    ) async throws(ServiceFault) -> [UInt8] {
        let reply = try await relay.carryOut(RelayCommand(type, members))
        guard let value = reply.members.value(name) else { throw ReportDesk.unreadable }
        return Array(value.raw)
    }

    private func account(of user: String?) async throws(ServiceFault) -> Account? {
        guard let user else { return nil }
        return try await operators.accounts.database.read { database throws(LocalFailure) in
            try AccountTable.find(user: user, database)
        }
    }
}

extension JSONMembers {
    fileprivate func has(_ name: String) -> Bool { self[name] != nil }
}
