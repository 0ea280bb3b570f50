import RoostConfiguration
import RoostCore
import RoostWire

extension Configuration {
    /// Checks the rules between two keys. The failure names the key that is too small, and the place that set it or the
    /// other one.
    func checkTogether(sources: [String: ConfigurationSource]) throws(ConfigurationFailure) {
        try checkTLS(sources: sources)
        try checkContacts(sources: sources)
        try checkLimits(sources: sources)
    }

    /// One word says what both are to each other, so it belongs to one kind.
    private func checkContacts(sources: [String: ConfigurationSource]) throws(ConfigurationFailure) {
        var known: Set<String> = []
        for kind in rules.contactKinds {
            for word in Set([kind.one, kind.other]) where !known.insert(word).inserted {
                let line = "contacts.kinds: \(word) is in two kinds"
                guard let source = sources["contacts.kinds"] else { throw ConfigurationFailure(line) }
                throw ConfigurationFailure(source, line)
            }
        }
    }

    private func checkTLS(sources: [String: ConfigurationSource]) throws(ConfigurationFailure) {
        let demands: [(key: String, isSet: Bool, needs: String, isThere: Bool)] = [
            ("tls.certificate", tls.isOn, "tls.key", !tls.key.isEmpty),
            ("tls.key", !tls.key.isEmpty, "tls.certificate", tls.isOn),
            ("tls.client_ca", !tls.clientCA.isEmpty, "tls.certificate", tls.isOn),
            ("tls.client_paths", !tls.clientPaths.isEmpty, "tls.client_ca", !tls.clientCA.isEmpty),
        ]
        for demand in demands where demand.isSet && !demand.isThere {
            let line = "\(demand.key): is set, and \(demand.needs) is not"
            guard let source = sources[demand.key] else { throw ConfigurationFailure(line) }
            throw ConfigurationFailure(source, line)
        }
    }

    private func checkLimits(sources: [String: ConfigurationSource]) throws(ConfigurationFailure) {
        // Bytes of a command beside its body: names, keys and ids of 64 bytes each, with quotes and commas.
        let envelope = 1_024
        // Answers to reads can't be left in the log, so the outbox must hold all that a session may ask for at once.
        let answers = limits.readsPerSession * (limits.pageBytes + limits.frameBytes)
        let demands: [(low: String, least: Int, high: String, value: Int, why: String)] = [
            ("history_default", limits.historyDefault, "history_max", limits.historyMax, ""),
            ("page_messages", limits.pageMessages, "backlog_max", limits.backlogMax, ""),
            (
                "ping_seconds_min", Int(limits.pingMinMilliseconds / 1_000), "ping_seconds_max",
                Int(limits.pingMaxMilliseconds / 1_000), ""
            ),
            (
                "pong_seconds_min", Int(limits.pongMinMilliseconds / 1_000), "pong_seconds_max",
                Int(limits.pongMaxMilliseconds / 1_000), ""
            ),
            ("outbox_calm_bytes", limits.outboxCalmBytes, "outbox_spill_bytes", limits.outboxSpillBytes, ""),
            (
                "outbox_spill_bytes", limits.outboxSpillBytes + answers, "outbox_max_bytes", limits.outboxMaxBytes,
                " and answers of \(answers) bytes"
            ),
            (
                "body_bytes", limits.bodyBytes + envelope, "frame_bytes", limits.frameBytes,
                " and \(envelope) bytes around it"
            ),
            (
                "text_scalars", limits.textScalars * 12 + envelope, "frame_bytes", limits.frameBytes,
                " with 12 bytes a scalar, and \(envelope) bytes around them"
            ),
        ]
        for (low, least, high, value, why) in demands where value < least {
            let line =
                "limits.\(high): \"\(value)\" is not allowed: "
                + "expected at least \(least), because of limits.\(low)\(why)"
            guard let source = sources["limits.\(high)"] ?? sources["limits.\(low)"] else {
                throw ConfigurationFailure(line)
            }
            throw ConfigurationFailure(source, line)
        }
    }
}
