import RoostCore
import RoostWire

/// What has to be true when everything has come to rest.
extension Simulation {
    func checkEnd() {
        for connection in connections where connection.isReady {
            checkStates(connection)
            checkReceipts(connection)
            checkReceiptsCame(connection)
            checkObjects(connection)
            checkRosters(connection)
            if !connection.typing.isEmpty { fail("\(connection.label) sees somebody type when nobody does") }
        }
        checkCursors()
        checkLog()
        var online = 0
        var away = 0
        for user in users {
            if user.truth == .online { online += 1 }
            if user.truth == .away { away += 1 }
        }
        if relay.counters.usersOnline != online || relay.counters.usersAway != away {
            fail("the relay counts \(relay.counters.usersOnline) online and \(relay.counters.usersAway) away")
        }
        if relay.pendingEvents != 0 { fail("the relay still waits for \(relay.pendingEvents) events") }
    }

    /// The two of a direct conversation know of each other.
    private func checkStates(_ connection: SimulatedConnection) {
        let user = connection.device.user
        let peers = users.filter { $0 !== user && ledger.arePeers(user.index, $0.index) }
        guard peers.count <= scenario.limits.watchedPerSession else { return }
        for peer in peers {
            let told = connection.presence[peer.index]
            if told != peer.truth.rawValue {
                fail(
                    "\(connection.label) believes its peer \(peer.name) to be \(told ?? "nowhere"), not \(peer.truth)"
                )
            }
        }
    }

    private func checkReceipts(_ connection: SimulatedConnection) {
        let own = connection.device.user.index
        for (pair, mark) in connection.receipts.sorted(by: { ($0.key.one, $0.key.other) < ($1.key.one, $1.key.other) })
        {
            let conversation = ledger.conversations[pair.one]
            guard conversation.members[pair.other] != nil, conversation.members[own] != nil,
                let roster = connection.rosters[pair.one]?["members"]?.elements
            else { continue }
            // Larger groups ask instead.
            guard pair.other == own || conversation.members.count <= scenario.limits.receiptMembersMax else { continue }
            let truth = roster.first { number($0["user"]?.string) == pair.other }
            if truth?["read"]?.integer != mark.read || truth?["delivered"]?.integer != mark.delivered {
                fail(
                    "\(connection.label) believes that u\(pair.other) has \(mark) of \(conversation.id), "
                        + "and asked is told \(truth?["delivered"]?.integer ?? -1), \(truth?["read"]?.integer ?? -1)")
            }
        }
    }

    /// At the end everybody wrote and read everywhere: whoever was there was told.
    private func checkReceiptsCame(_ connection: SimulatedConnection) {
        guard connection.number <= connectionsBeforeMark else { return }
        let own = connection.device.user.index
        for conversation in ledger.conversations where conversation.members[own] != nil {
            guard conversation.members.count <= scenario.limits.receiptMembersMax else { continue }
            for user in conversation.order where self.connection(of: users[user]) != nil {
                guard let came = connection.receipts[Ledger.Pair(conversation.index, user)],
                    came.read >= users[user].read[conversation.index]?.lowerBound ?? 0
                else {
                    fail("\(connection.label) was not told how far u\(user) has read \(conversation.id)")
                    continue
                }
            }
        }
    }

    private func checkObjects(_ connection: SimulatedConnection) {
        let user = connection.device.user
        for (index, object) in connection.objects.sorted(by: { $0.key < $1.key }) {
            let conversation = ledger.conversations[index]
            guard let member = conversation.members[user.index] else { continue }
            let last = Int64(conversation.messages.count)
            // Others may have written since it asked; at the end nobody does.
            guard object.sequence == last else { continue }
            let range = user.read[index] ?? 0...0
            if !range.contains(object.read) {
                fail("\(connection.label) is told that it has read \(object.read) of \(conversation.id), not \(range)")
            }
            if object.unread != last - max(object.read, member.since) || object.count != conversation.members.count {
                fail(
                    "\(connection.label) is told \(object.unread) unread, \(object.count) members in \(conversation.id)"
                )
            }
        }
    }

    private func checkRosters(_ connection: SimulatedConnection) {
        for (index, json) in connection.rosters.sorted(by: { $0.key < $1.key }) {
            let conversation = ledger.conversations[index]
            guard conversation.members[connection.device.user.index] != nil else { continue }
            var told: [Int: String] = [:]
            for element in json["members"]?.elements ?? [] {
                guard let user = number(element["user"]?.string), let delivered = element["delivered"]?.integer,
                    let read = element["read"]?.integer
                else { continue }
                told[user] = element["role"]?.string
                if delivered < users[user].delivered[index] ?? 0 {
                    fail(
                        "u\(user) acked \(users[user].delivered[index] ?? 0) of \(conversation.id), told \(delivered)"
                    )
                }
                if let range = users[user].read[index], !range.contains(read) {
                    fail("u\(user) has read \(range) of \(conversation.id), told is \(read)")
                }
            }
            let truth = conversation.members.mapValues { "\($0.role.word)" }
            if told != truth {
                fail("\(connection.label) is told that \(told) are in \(conversation.id), not \(truth)")
            }
        }
    }

    /// What was acked is stored, so that it won't come again.
    private func checkCursors() {
        for (number, device) in ledger.devices.sorted(by: { $0.key < $1.key }) {
            let owner = users[device.user].devices.first { $0.name == device.name }
            guard let connection = owner?.connection, connection.acked > 0 else { continue }
            if let cursor = ledger.cursors[number], cursor < connection.acked {
                fail("\(connection.label) has acked \(connection.acked), and \(cursor) is stored")
            }
        }
    }
}
