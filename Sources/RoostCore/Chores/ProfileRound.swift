/// Sends profiles that have changed. Thousands may watch one user.
final class ProfileRound: Chore {
    private unowned let news: ProfileNews
    private let now: Moment

    init(of news: ProfileNews, at now: Moment) {
        self.news = news
        self.now = now
    }

    func work(_ steps: inout Int) -> Bool { news.goOn(&steps, at: now) }
}
