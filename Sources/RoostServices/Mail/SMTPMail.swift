import CCurl
import Glibc
import RoostServicesConfiguration
import Synchronization

/// A mail to send. A value.
package struct MailLetter: Sendable {
    package var to: String
    package var purpose: MailTexts.Purpose
    package var link: String?
    package var language: String
    package var displayName: String

    package init(to: String, purpose: MailTexts.Purpose, link: String?, language: String, displayName: String) {
        self.to = to
        self.purpose = purpose
        self.link = link
        self.language = language
        self.displayName = displayName
    }
}

/// The outcome of a try.
package enum MailOutcome: Sendable, Equatable {
    case sent
    /// Another try may help.
    case deferred(String)
    /// No other try will.
    case refused(String)
}

/// Counts of mails since the start.
package struct MailCounters: Sendable, Equatable {
    package var sent = 0
    package var failed = 0
    /// Mails in the queue that a server has deferred.
    package var waiting = 0
}

/// Sends mail by SMTP. The caller doesn't wait: a mail waits in memory until a server has accepted it, refused it, or
/// until its tries are used up; what waits is lost when the process ends, and people ask for another. It must not log
/// addresses or the contents of mails.
package final class SMTPMail: Sendable {
    private struct State {
        var counters = MailCounters()
        var tasks: [Int: Task<Void, Never>] = [:]
        var next = 0
        var isStopped = false
    }

    private let settings: MailSettings
    private let route: MailSettings.Route
    private let texts: MailTexts
    private let client: OutgoingClient
    private let bounds: MailBounds
    private let minutes: Int
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - minutes: the lifetime of links, as the mails say.
    ///   - report: gets a line for the log for each mail that won't be sent.
    package init(
        _ settings: MailSettings, client: OutgoingClient, minutes: Int, bounds: MailBounds = MailBounds(),
        report: @escaping @Sendable (String) -> Void
    ) throws(MailSettingsFault) {
        self.settings = settings
        route = try settings.route()
        texts = try MailTexts(folder: settings.texts.isEmpty ? nil : settings.texts, language: settings.language)
        self.client = client
        self.minutes = minutes
        self.bounds = bounds
        self.report = report
    }

    /// Counts of mails.
    package var counters: MailCounters { state.withLock { $0.counters } }

    /// Accepts a mail, and returns at once.
    package func post(_ letter: MailLetter) {
        let isFull = state.withLock { state in
            guard !state.isStopped, state.tasks.count < bounds.letters else {
                state.counters.failed += 1
                return true
            }
            let number = state.next
            state.next += 1
            state.counters.waiting += 1
            state.tasks[number] = Task {
                let isSent = await self.carry(letter)
                self.end(number, isSent: isSent)
            }
            return false
        }
        if isFull { report("a letter wasn't sent: \(bounds.letters) wait already") }
    }

    /// Gives up what waits.
    package func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Sends a mail once, and returns the server's answer. Only for callers that know the address anyway.
    package func tryOnce(_ letter: MailLetter) async -> MailOutcome {
        switch envelope(letter) {
        case .success(let envelope): await attempt(envelope, quotesServer: true)
        case .failure(let failure): .refused(failure.description)
        }
    }

    private func end(_ number: Int, isSent: Bool) {
        state.withLock { state in
            state.tasks[number] = nil
            state.counters.waiting -= 1
            if isSent { state.counters.sent += 1 } else { state.counters.failed += 1 }
        }
    }

    /// Tries until there is no use in it, and returns whether the mail was sent.
    private func carry(_ letter: MailLetter) async -> Bool {
        let envelope: MailEnvelope
        switch self.envelope(letter) {
        case .success(let made): envelope = made
        case .failure(let failure):
            report("a letter wasn't sent: \(failure)")
            return false
        }
        if letter.purpose == .reset {
            // The delay separates the mail from the client's next request, so that the request's time doesn't show
            // whether a mail is being sent.
            do { try await Task.sleep(for: bounds.delay * Double.random(in: 0...1)) } catch { return false }
        }
        var waits = bounds.waits.makeIterator()
        while true {
            let reason: String
            switch await attempt(envelope, quotesServer: false) {
            case .sent: return true
            case .refused(let words):
                report("a letter wasn't sent: \(words)")
                return false
            case .deferred(let words): reason = words
            }
            guard let wait = waits.next() else {
                report("a letter wasn't sent, and is given up: \(reason)")
                return false
            }
            do {
                try await Task.sleep(for: wait * Double.random(in: 1...(1 + bounds.spread)))
            } catch {
                return false
            }
        }
    }

    /// Connects and signs in, and sends nothing: what the server thinks of us.
    package func greet() async -> MailOutcome {
        Self.outcome(await client.greet(route.url, access), quotesServer: true)
    }

    private func attempt(_ envelope: MailEnvelope, quotesServer: Bool) async -> MailOutcome {
        Self.outcome(await client.deliver(envelope, to: route.url), quotesServer: quotesServer)
    }

    private static func outcome(_ end: TransferEnd, quotesServer: Bool) -> MailOutcome {
        guard end.cause != .library(0) else { return .sent }
        var words = "no answer in time"
        if case .failure(let failure) = OutgoingClient.outcome(end) { words = failure.description }
        if end.status >= 400 { words += ", with the server's code \(end.status)" }
        // It may quote the address.
        if quotesServer, end.status >= 400, !end.refusal.isEmpty { words += ": \(end.refusal)" }
        return (500...599).contains(end.status) ? .refused(words) : .deferred(words)
    }

    private func envelope(_ letter: MailLetter) -> Result<MailEnvelope, OutgoingFailure> {
        guard let address = MailAddress(letter.to) else { return .failure(.unusable("an address of this form")) }
        // Only our own links, which have none of these; it stands on a line of its own.
        let link = letter.link ?? ""
        guard link.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { return .failure(.unusable("the link")) }
        guard let text = texts.text(letter.purpose, language: letter.language) else {
            return .failure(.unusable("a letter without a text"))
        }
        let name = MailText.harmless(letter.displayName)
        let values: [MailText.Place: String] = [
            .displayName: name, .email: address.text, .link: link, .minutes: String(minutes),
            .time: MailText.time(time(nil)),
        ]
        let message = MailMessage(
            from: route.from, replyTo: route.replyTo, to: Mailbox(name: name, address: address),
            subject: text.subject(values), text: text.body(values), date: time(nil), id: MailMessage.randomID())
        return .success(
            MailEnvelope(
                sender: route.from.address.text, recipient: address.text, message: message.bytes, access: access))
    }

    private var access: MailAccess {
        MailAccess(
            user: settings.user.isEmpty ? nil : settings.user,
            password: settings.password.isEmpty ? nil : settings.password, needsTLS: settings.security == .starttls)
    }
}
