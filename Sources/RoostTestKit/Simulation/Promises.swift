import RoostCore
import RoostWire

/// The promises made by `ok`, thing by thing: after a crash the value is there, or a later one. Values are texts, so
/// that all things are compared in one way.
struct Promises {
    /// Something that users set.
    enum Thing: Hashable {
        case status(Int), privacy(Int)
        case exception(Int, of: Int)
        /// The lower index first.
        case contact(Int, Int)
        case prospect(Int, name: String), report(text: String)
    }

    /// A command that waits for its `ok`.
    struct Pledge {
        let thing: Thing
        fileprivate let number: Int
    }

    private struct Said {
        let number: Int
        let value: String
    }

    /// Since the last confirmed one, the oldest first.
    private var said: [Thing: [Said]] = [:]
    private var confirmed: [Thing: Int] = [:]
    private var last = 0

    /// The relay took a command that sets this.
    mutating func note(_ thing: Thing, _ value: String) -> Pledge {
        last += 1
        said[thing, default: []].append(Said(number: last, value: value))
        return Pledge(thing: thing, number: last)
    }

    /// The command got its `ok`.
    mutating func confirm(_ pledge: Pledge) {
        guard confirmed[pledge.thing] ?? 0 < pledge.number else { return }
        confirmed[pledge.thing] = pledge.number
        said[pledge.thing]?.removeAll { $0.number < pledge.number }
    }

    /// Nothing of these things is promised any more.
    mutating func forget(where isMeant: (Thing) -> Bool) {
        for thing in said.keys where isMeant(thing) { (said[thing], confirmed[thing]) = (nil, nil) }
    }

    /// Another relay starts with what is stored.
    /// - Returns: what is wrong.
    mutating func restart(with stored: (Thing) -> String) -> [String] {
        var mistakes: [String] = []
        for (thing, values) in said {
            let value = stored(thing)
            if confirmed[thing] != nil, !values.contains(where: { $0.value == value }) {
                mistakes.append("\(thing) got ok as \(values.map(\.value)), and \(value) is stored")
            }
            // A value that outlived one crash outlives the next.
            last += 1
            said[thing] = [Said(number: last, value: value)]
            confirmed[thing] = last
        }
        return mistakes.sorted()
    }
}

extension People {
    /// The state that the relay must keep once it confirms this command, which it has just accepted.
    func pledges(
        of kind: SimulatedConnection.Pending.Kind, by user: SimulatedUser
    ) -> [Promises.Pledge] {
        switch kind {
        case .status: [promises.note(.status(user.index), People.word(user.choice, user.text))]
        case .privacy: [promises.note(.privacy(user.index), "\(user.secrecy.settings)")]
        case .except(let other, _), .unblock(let other):
            [promises.note(.exception(user.index, of: other), People.word(user.secrecy.exceptions[other]))]
        case .contact(_, let other):
            [
                promises.note(
                    .contact(min(user.index, other), max(user.index, other)), acquaintances.word(user.index, other))
            ]
        case .openInvite(let index) where invitations.links[index].group == nil:
            pledges(of: .contact(.accept, invitations.links[index].maker), by: user)
        case .setProspect(let name): [promises.note(.prospect(user.index, name: name), "there")]
        case .report(let text, isKept: true): [promises.note(.report(text: text), "there")]
        default: []
        }
    }

    fileprivate static func word(_ choice: StatusChoice, _ text: String) -> String { "\(choice.word) \(text)" }

    fileprivate static func word(_ exception: PrivacyException?) -> String { exception.map { "\($0)" } ?? "none" }

    /// Promises to a user, or to others about it, end with its account; only a block by another stays.
    func forgetPromises(of user: SimulatedUser) {
        promises.forget { thing in
            switch thing {
            case .status(let one), .privacy(let one), .prospect(let one, _): one == user.index
            case .exception(let one, let other):
                one == user.index || other == user.index && !users[one].secrecy.hasBlocked(other)
            case .contact(let low, let high): low == user.index || high == user.index
            case .report: false
            }
        }
    }

    /// Compares what was confirmed with what is stored.
    /// - Returns: what is wrong.
    func checkPromises(_ ledger: Ledger) -> [String] {
        promises.restart { thing in
            switch thing {
            case .status(let user):
                let stored = ledger.status[user] ?? StoredStatus()
                return People.word(stored.choice, stored.text)
            case .privacy(let user): return "\(ledger.privacy[user] ?? PrivacySettings())"
            case .exception(let user, let other): return People.word(ledger.exceptions[.init(user, other)])
            case .contact(let low, let high):
                guard let contact = ledger.contacts[.init(low, high)] else { return "none" }
                let way = ledger.hiddenContacts.linked.contains(.init(low, high)) ? " by link" : ""
                return contact.map { "invited by \($0)" + way } ?? "contacts"
            case .prospect(let user, let name):
                return ledger.written.prospects[user]?.contains(name) == true ? "there" : ""
            case .report(let text): return ledger.written.reports.contains(text) ? "there" : ""
            }
        }
    }
}
