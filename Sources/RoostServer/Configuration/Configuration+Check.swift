import RoostWire

extension Configuration {
    /// What no key can say alone. Names the key that was set last of the two, and where.
    func checkTogether(sources: [String: ConfigurationSource]) throws(ConfigurationFailure) {
        // The members of a command beside the body: names, keys and ids of 64 bytes, with quotes and commas.
        let envelope = 1_024
        // Answers to reads are not left to the log, so the outbox has to hold all that a session may ask for at once.
        let answers = limits.readsPerSession * (limits.pageBytes + limits.frameBytes)
        let demands: [(low: String, least: Int, high: String, value: Int, why: String)] = [
            ("history_default", limits.historyDefault, "history_max", limits.historyMax, ""),
            ("page_messages", limits.pageMessages, "backlog_max", limits.backlogMax, ""),
            ("outbox_calm_bytes", limits.outboxCalmBytes, "outbox_spill_bytes", limits.outboxSpillBytes, ""),
            (
                "outbox_spill_bytes", limits.outboxSpillBytes + answers, "outbox_max_bytes", limits.outboxMaxBytes,
                ", for answers of \(answers) bytes"
            ),
            (
                "body_bytes", limits.bodyBytes + envelope, "frame_bytes", limits.frameBytes,
                ", for \(envelope) bytes around it"
            ),
            (
                "text_scalars", limits.textScalars * 12 + envelope, "frame_bytes", limits.frameBytes,
                ", for 12 bytes a scalar and \(envelope) around them"
            ),
        ]
        for (low, least, high, value, why) in demands where value < least {
            let line =
                "limits.\(high): \"\(value)\" is not allowed: expected at least \(least) because of limits.\(low)\(why)"
            guard let source = sources["limits.\(high)"] ?? sources["limits.\(low)"] else {
                throw ConfigurationFailure(line)
            }
            throw ConfigurationFailure(source, line)
        }
    }
}
