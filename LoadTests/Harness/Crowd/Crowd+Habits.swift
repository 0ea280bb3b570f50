/// What people do beside writing: read, type, look who is there.
extension Crowd {
    // MARK: Reading

    func planRead(_ device: Device, place: Int, at now: UInt64) {
        let persona = persona(of: device)
        guard persona.reads > 0, !places[place].isReadPlanned,
            random.happens(persona.reads)
        else { return }
        places[place].isReadPlanned = true
        timers.add(
            .read(device, place: place), at: now + UInt64(random.exponential(mean: persona.readSeconds) * 1e9))
    }

    func read(_ device: Device, place: Int, at now: UInt64) {
        places[place].isReadPlanned = false
        guard device.isReady, !device.isStalled, stage != .settling, stage != .over,
            device.sendRead(place: place, at: now)
        else { return }
        unread.said(reader(at: place), upTo: places[place].readSequence)
    }

    /// The user of a place in its room, as the unread counts know them.
    func reader(at place: Int) -> Int {
        let room = rooms[Int(places[place].room)]
        return room.firstReader + (place - room.firstPlace) / scenario.devices
    }

    /// Latency counts when the receipt is the first to tell this device of the reader's newest `read`: an older one was
    /// merged into it, a later receipt tells it again beside something else, and whoever was away hears of it late.
    func sawReceipt(of reader: Int, read: Int, in room: Int, by device: Device, at place: Int, _ now: UInt64) {
        counts.receipts += 1
        guard reader != device.user else { return }
        let key = UInt64(place) << 32 | UInt64(reader)
        guard read > seenReads[key, default: 0] else { return }
        seenReads[key] = read
        for other in devices(ofUser: reader) {
            guard let place = other.place(in: room), places[place].readSequence == read,
                isMeasured(places[place].readAt), places[place].readAt >= device.measuresFrom
            else { continue }
            return recorder.record(.receipt, now - min(now, places[place].readAt))
        }
    }

    // MARK: Typing

    func startTyping(_ device: Device, place: Int, until due: UInt64, at now: UInt64) {
        device.sendTyping(place: place)
        let room = Int(places[place].room)
        typing.typed(device.user, in: room, at: now)
        let again = now + HarnessLimits.typingRefresh
        if again < due {
            timers.add(.type(device, place: place, until: due), at: again)
        } else {
            timers.add(.send(device, place: place, due: due), at: due)
        }
    }

    func sawTyping(of user: Int, _ isActive: Bool, at place: Int, by device: Device, _ now: UInt64) {
        counts.typings += 1
        let latency = typing.shown(
            Int(places[place].room), by: Membership(place), user, isActive: isActive, at: now)
        guard let latency, stage == .measuring else { return }
        recorder.record(.typing, latency)
    }

    // MARK: Presence

    func sawPresence(of name: String, _ state: String, by device: Device, at now: UInt64) {
        var name = name
        guard let user = name.withUTF8({ self.user(named: UnsafeRawBufferPointer($0)) }) else { return }
        counts.presences += 1
        let shown: ShownPresence = state == "online" ? .online : state == "away" ? .away : .offline
        // Those of a direct conversation are shown without being watched.
        guard let pair = pairs[Crowd.key(device, user)], let latency = presence.shown(pair, shown, at: now),
            stage == .measuring
        else { return }
        recorder.record(.presence, latency)
    }

    /// A device that watches a user.
    func pair(_ device: Device, _ user: Int) -> Int {
        let key = Crowd.key(device, user)
        if let pair = pairs[key] { return pair }
        let pair = presence.addPair(of: user)
        pairs[key] = pair
        device.pairs.append(pair)
        return pair
    }

    private static func key(_ device: Device, _ user: Int) -> UInt64 { UInt64(device.index) << 32 | UInt64(user) }
}
