import RoostCore
import RoostWire

/// Settings that follow users: of each key the newest value.
extension MemoryLog {
    func set(_ append: Append) -> Outcome {
        var settings = state.settings[append.sender] ?? [:]
        let known = settings[append.label]
        let present = known.flatMap { $0.body.isEmpty ? nil : $0 }
        if let present, present.body == append.body {
            return .duplicate(present.position, .none, append.conversation, present.time)
        }
        if present == nil, append.body.isEmpty { return .unchanged }
        if append.flag, append.reference.value != present?.position.value ?? 0 { return .refused(.conflict) }
        let own = settings.values.count { !$0.body.isEmpty && $0.label.utf8.first != UInt8(ascii: "@") }
        if present == nil, append.isOwnSetting, own >= settingsPerUser {
            return .refused(.tooLarge)
        }
        state.head = Position(state.head.value + 1)
        settings[append.label] = StoredEvent(append, position: state.head, sequence: .none)
        forgetRemovals(&settings)
        state.settings[append.sender] = settings
        return .stored(state.head, .none)
    }

    /// Forgets the older half of too many removals. A device that missed them reads everything anew.
    private func forgetRemovals(_ settings: inout [String: StoredEvent]) {
        let removed = settings.values.filter { $0.body.isEmpty && !$0.label.isEmpty }
        guard removed.count > settingsPerUser else { return }
        let old = removed.sorted { $0.position < $1.position }.prefix(max(1, settingsPerUser / 2))
        for one in old { settings[one.label] = nil }
        guard var mark = old.last else { return }
        mark.label = ""
        settings[""] = mark
    }

    func settings(_ request: SettingsRequest, _ ticket: UInt64) -> ReadResult {
        var result = ReadResult(ticket: ticket)
        var bytes = 0
        let all = (state.settings[request.user] ?? [:]).values.filter { !$0.body.isEmpty && $0.label > request.after }
        for setting in all.sorted(by: { $0.label < $1.label }) where request.selection.has(setting.label) {
            bytes += setting.body.count
            guard result.events.isEmpty || result.events.count < request.rows && bytes <= request.bytes else {
                result.hasMore = true
                break
            }
            result.events.append(setting)
        }
        return result
    }

    /// The settings that a device of the user has missed: the first ones, in the order of positions.
    func settings(in span: PageRequest.Span, of user: UserNumber, atMost most: Int) -> [StoredEvent] {
        let missed = (state.settings[user] ?? [:]).values.filter {
            $0.position > span.after && $0.position <= span.upTo
        }
        return Array(missed.sorted { $0.position < $1.position }.prefix(most))
    }
}

extension SettingsRequest.Selection {
    fileprivate func has(_ key: String) -> Bool {
        switch self {
        case .all: true
        case .keys(let keys): keys.contains(key)
        case .prefix(let prefix): key.hasPrefix(prefix)
        }
    }
}
