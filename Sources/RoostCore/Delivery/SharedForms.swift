import RoostFraming

/// The forms of a run for sessions that get another one than most: the devices of its senders, and of members with
/// hidden entries. A form is put together once for all who get the same. It lives as long as the delivery of one run.
/// Loop thread only.
struct SharedForms: ~Copyable {
    private struct Known {
        let form: FanOutRun.Form
        let frame: Frame
        var sessions = 0
    }

    // A user's sessions are next to each other, and hidden entries make few different forms.
    private static let knownMax = 8

    private let edge: DirectEdge
    private var known: [Known] = []
    /// The place of the one that was asked for last.
    private var last = 0

    init(_ edge: DirectEdge) { self.edge = edge }

    /// The frame of this form; made, in place of the oldest one, if it isn't known.
    mutating func frame(_ form: FanOutRun.Form, made: (FanOutRun.Form) -> Frame) -> Frame {
        if let place = known.lastIndex(where: { $0.form == form }) {
            last = place
            return known[place].frame
        }
        if known.count >= Self.knownMax { end(known.removeFirst()) }
        let frame = made(form)
        last = known.count
        known.append(Known(form: form, frame: frame))
        return frame
    }

    /// Another session got the frame that was asked for last.
    mutating func noteSession() { known[last].sessions += 1 }

    /// All sessions have what they get.
    consuming func end() { for one in known { end(one) } }

    private func end(_ one: Known) {
        if one.sessions > 0 { edge.end(.passUnretained(one.frame), sessions: one.sessions) }
    }
}
