import RoostStorage

extension Configuration.Retention {
    /// The same, as the store takes it.
    var ofStore: Retention {
        var kept = Retention()
        if days > 0 { kept.milliseconds = Int64(days) * 86_400_000 }
        if megabytes > 0 { kept.bytes = Int64(megabytes) << 20 }
        return kept
    }
}
