import Synchronization

/// `mail.mode: off`: nothing is sent. Letters with a link wait for an operator, who hands the link over by other means.
/// They are in memory only, because a link is as good as a password; a restart loses them, and people ask again.
package final class HeldMail: MailSender {
    /// A waiting mail.
    package struct Held: Sendable, Equatable {
        package var letter: Letter
        /// When its link ends, in milliseconds since 1970.
        package var expires: Int64
    }

    private let limits: ServicesLimits
    private let clock: WallClock
    private let letters = Mutex([Held]())

    /// Nothing waits yet.
    package init(limits: ServicesLimits, clock: WallClock) {
        self.limits = limits
        self.clock = clock
    }

    package func send(_ letter: Letter) async {
        guard letter.link != nil else { return }
        let now = clock.now()
        letters.withLock { letters in
            letters.removeAll { $0.expires <= now }
            if letters.count >= limits.heldLetters { letters.removeFirst() }
            letters.append(Held(letter: letter, expires: now + limits.linkSeconds * 1_000))
        }
    }

    /// Waiting mails, the oldest first.
    package func held() -> [Held] {
        let now = clock.now()
        return letters.withLock { letters in
            letters.removeAll { $0.expires <= now }
            return letters
        }
    }
}
