import RoostFraming
import RoostWire

/// The relay's statistics, every few seconds, for operators who watch it live; and those of the last half hour, for
/// operators who have just come. It begins once there is a host. Loop thread only.
final class Statistics {
    /// The limits of this part.
    struct Bounds {
        /// From one sample to the next.
        let milliseconds: Int64
        /// Number of samples of which one is kept.
        let keptEvery: Int
        /// Samples kept.
        let kept: Int

        init(_ limits: Limits) {
            milliseconds = limits.statisticsMilliseconds
            keptEvery = limits.statisticsKeptEvery
            kept = limits.statisticsKept
        }
    }

    private let bounds: Bounds
    private let counters: Counters
    private let times: DeliveryTimes
    private let delivery: Delivery
    private let builder: FrameBuilder
    private var audience = OrderedTable<SessionID, Session>()
    /// The histograms as they were at the last sample, and at the last that was kept.
    private var latest: StatisticsSample.Histograms?
    private var latestKept: StatisticsSample.Histograms?
    private var kept: [StatisticsSample] = []
    private var newest: StatisticsSample?
    private var samples = 0
    private(set) var nextDeadline = Int64.max

    init(_ bounds: Bounds, _ counters: Counters, _ times: DeliveryTimes, _ delivery: Delivery, _ builder: FrameBuilder)
    {
        self.bounds = bounds
        self.counters = counters
        self.times = times
        self.delivery = delivery
        self.builder = builder
    }

    /// The process around the relay.
    weak var host: (any Surroundings)? {
        didSet { nextDeadline = host == nil ? .max : 0 }
    }

    /// The session gets samples from now on.
    /// - Throws: `busy` if too many do.
    func begin(for session: Session, atMost most: Int) throws(Refusal) {
        guard audience[session.id] != nil || audience.count < most else {
            throw Refusal(.busy, "\(most) sessions are told already", retryAfterMilliseconds: bounds.milliseconds)
        }
        audience[session.id] = session
    }

    /// The session gets no more samples.
    func end(_ session: Session) { audience[session.id] = nil }

    /// Takes the sample that is due, and sends it.
    func tick(at now: Moment) {
        guard now.monotonic >= nextDeadline, let figures = host?.figures(at: now) else { return }
        nextDeadline = now.monotonic + bounds.milliseconds
        let histograms = StatisticsSample.Histograms(
            stored: times.stored, acked: times.acked, presence: counters.presence.delay, commits: figures.commits,
            turns: figures.turns)
        if samples % bounds.keptEvery == 0 {
            let sample = sample(figures, histograms, since: latestKept, at: now)
            latestKept = histograms
            if kept.count == bounds.kept { kept.removeFirst() }
            kept.append(sample)
        }
        samples += 1
        let sample = sample(figures, histograms, since: latest, at: now)
        latest = histograms
        newest = sample
        if !audience.isEmpty { tell(sample) }
    }

    private func sample(
        _ figures: HostFigures, _ histograms: StatisticsSample.Histograms, since: StatisticsSample.Histograms?,
        at now: Moment
    ) -> StatisticsSample {
        StatisticsSample(
            counters, figures, waitingBytes: delivery.edge.waitingBytes, histograms, since: since, at: now)
    }

    private func tell(_ sample: StatisticsSample) {
        builder.begin("statistics")
        sample.write(to: builder)
        builder.beginObject("errors")
        for code in ErrorCode.allCases where counters.errors[Int(code.rawValue)] > 0 {
            builder.member(code.word, Int64(counters.errors[Int(code.rawValue)]))
        }
        builder.endObject()
        builder.beginObject("ends")
        for reason in EndReason.allCases where counters.sessions.ends[Int(reason.rawValue)] > 0 {
            builder.member(reason.word, Int64(counters.sessions.ends[Int(reason.rawValue)]))
        }
        builder.endObject()
        let frame = builder.finish()
        // A session that reads too slowly to get this one gets the next.
        for session in audience.values where delivery.isCalm(session) { delivery.push(frame, to: session) }
    }

    /// Writes how often there is a sample, those that were kept, oldest first, and the newest one.
    func writeKept(atMost most: Int, to builder: FrameBuilder) {
        builder.member("every", bounds.milliseconds)
        builder.beginArray("history")
        for sample in (kept + [newest].compactMap { $0 }).suffix(most) {
            builder.beginObject()
            sample.write(to: builder)
            builder.endObject()
        }
        builder.endArray()
    }
}
