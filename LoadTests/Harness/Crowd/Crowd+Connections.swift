import DequeModule

/// Who is connected: dialing within a bound, coming back, being cut off, and what the run makes of it.
extension Crowd {
    /// Wants a device connected from now on; its connect latency counts from here.
    func wantsConnection(_ device: Device, due: UInt64) {
        guard device.phase == .away || device.phase == .waiting else { return }
        device.phase = .waiting
        device.connectDue = due
        toDial.append(device)
    }

    /// Leaves a device alone for so many seconds; then it wants a connection.
    private func comeBack(_ device: Device, after seconds: Double, at now: UInt64) {
        device.phase = .waiting
        timers.add(.connect(device), at: now + UInt64(seconds * 1e9))
    }

    /// Begins as many connections as the bound allows.
    func dial() {
        while dialing < HarnessLimits.dialsMax, let device = toDial.popFirst() {
            device.connect(due: device.connectDue)
        }
    }

    func becameReady(_ device: Device, _ resumption: Resumption, at now: UInt64) {
        readyCount += 1
        counts.connects += 1
        let waited = now - min(now, device.connectDue)
        if stage == .settingUp || isMeasured(device.connectDue) { recorder.record(.connect, waited) }
        presence.connected(device.user, device: device.index, at: now)
        beginCatchUp(device, resumption, at: now)
        guard stage != .settingUp else { return }
        if device.index % scenario.devices == 0 { watch(by: device) }
        planLeave(device, at: now)
        guard let storm = device.storm else { return }
        device.storm = nil
        storms[storm].away -= 1
        if storms[storm].away == 0 { storms[storm].ended = now }
    }

    /// The device went on purpose.
    func left(_ device: Device, cleanly: Bool, at now: UInt64) {
        counts.disconnects += 1
        presence.left(device.user, device: device.index, isClean: cleanly, at: now)
        forgetView(of: device)
    }

    /// The connection ended although the device didn't mean it to, or was never made.
    func lost(_ device: Device, _ ending: SocketEnding, wasReady: Bool) {
        lastEnding = ending
        let now = SocketLoop.now()
        if wasReady {
            presence.left(device.user, device: device.index, isClean: false, at: now)
            forgetView(of: device)
            // Whoever stops reading is cut off by any relay that bounds its memory.
            if persona(of: device).stallsAfter == 0 { counts.lostConnections += 1 }
        }
        guard stage != .over, !device.isHeldAway else { return }
        if case .closed(let code, _) = ending, code >= 4_500 { return }
        device.failures += 1
        if stage == .settingUp, device.failures >= HarnessLimits.setUpTries { isHopeless = true }
        let most = min(HarnessLimits.backoffMost, HarnessLimits.backoffFirst * Double(1 << min(device.failures, 10)))
        let wait = Double.random(in: 0...most, using: &random)
        comeBack(device, after: wait, at: now)
    }

    private func forgetView(of device: Device) {
        let now = SocketLoop.now()
        ledger.left(device.index)
        signals.left(device.index)
        for pair in device.pairs { presence.ended(pair) }
        for place in device.places.all {
            typing.left(Membership(Int(place)))
            unread.dropped(reader(at: Int(place)))
            typing.ended(device.user, in: Int(places[Int(place)].room), at: now)
        }
    }

    // MARK: Coming and going

    /// A user who comes and goes stays for a random time.
    func planLeave(_ device: Device, at now: UInt64) {
        let persona = persona(of: device)
        guard persona.present > 0 else { return }
        let stays = random.exponential(mean: persona.present)
        timers.add(.leave(device, session: device.session), at: now + UInt64(stays * 1e9))
    }

    func leave(_ device: Device, session: Int, at now: UInt64) {
        guard device.session == session, stage == .measuring || stage == .warmingUp else { return }
        let persona = persona(of: device)
        device.leave(cleanly: random.happens(persona.clean), at: now)
        comeBack(device, after: random.exponential(mean: persona.away), at: now)
    }

    /// After the load everybody comes back, so that what they missed can be counted.
    func callEverybodyBack(at now: UInt64) {
        for device in devices {
            device.isHeldAway = false
            resume(device, at: now)
            if device.phase == .away || device.phase == .waiting { wantsConnection(device, due: now) }
        }
    }

    // MARK: Storms

    func beginStorm(_ number: Int, at now: UInt64) {
        let storm = scenario.storms[number]
        var state = StormState(storm: storm, began: now, sessions: 0, away: 0)
        for device in devices where device.isReady && random.happens(storm.share) {
            device.leave(cleanly: false, at: now)
            state.sessions += 1
            state.away += 1
            device.storm = storms.count
            let wait = storm.backoff ? Double.random(in: 0...HarnessLimits.backoffFirst, using: &random) : 0
            comeBack(device, after: wait, at: now)
        }
        storms.append(state)
    }

    // MARK: Away together

    func beginAbsence(at now: UInt64) {
        guard let catchUp = scenario.catchUp else { return }
        for user in 0..<scenario.users where random.happens(catchUp.share) {
            for device in devices(ofUser: user) {
                device.isHeldAway = true
                device.leave(cleanly: true, at: now)
            }
        }
    }

    func endAbsence(at now: UInt64) {
        for device in devices where device.isHeldAway {
            device.isHeldAway = false
            wantsConnection(device, due: now)
        }
    }

    /// Counts what it has to be sent before it is up to date again.
    private func beginCatchUp(_ device: Device, _ resumption: Resumption, at now: UInt64) {
        let before = ledger.outstanding
        ledger.connected(device.index, resuming: resumption)
        signals.connected(device.index)
        device.toCatchUp = ledger.outstanding - before
        if device.toCatchUp > 0, returnBegan == nil { returnBegan = now }
    }

    func caughtUpOne(_ device: Device, at now: UInt64) {
        counts.caughtUpMessages += 1
        device.toCatchUp -= 1
        guard device.toCatchUp == 0, isMeasured(device.readyAt) || stage == .settling else { return }
        recorder.record(.catchUp, now - min(now, device.readyAt))
        if let returnBegan { counts.catchUpSeconds = max(counts.catchUpSeconds, Double(now - returnBegan) / 1e9) }
    }

    // MARK: Stalling

    func stall(_ device: Device) {
        guard device.isReady else { return }
        device.isStalled = true
        presence.unsure(of: device.user)
        for pair in device.pairs { presence.ended(pair) }
        device.socket?.isReading = false
    }

    func resume(_ device: Device, at now: UInt64) {
        guard device.isStalled else { return }
        device.isStalled = false
        device.measuresFrom = now
        device.socket?.isReading = true
        if device.isReady, device.index % scenario.devices == 0 { watch(by: device) }
    }
}
