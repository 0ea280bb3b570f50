import RoostWire

extension Presence {
    /// The limits of this part.
    struct Bounds {
        let watchedPerSession: Int
        let gatherMilliseconds: Int64
        let graceMilliseconds: Int64
        let aliveMilliseconds: Int64
        let downMilliseconds: Int64
        let awayMilliseconds: Int64
        let tellingsPerSecond: Int
        let tellingsAtOnce: Int

        init(_ limits: Limits) {
            watchedPerSession = limits.watchedPerSession
            gatherMilliseconds = limits.gatherMilliseconds
            graceMilliseconds = limits.graceMilliseconds
            aliveMilliseconds = limits.aliveMilliseconds
            downMilliseconds = limits.downMilliseconds
            awayMilliseconds = limits.awayMilliseconds
            tellingsPerSecond = limits.presencePerSecond
            tellingsAtOnce = limits.presenceAtOnce
        }
    }
}
