import RoostWire

/// The page `/metrics`, in the style of the relay's (decision 24): the counters are kept where things happen, this only
/// prints them, and no label names a person. Any thread may use it.
struct ServicesMetrics: Sendable {
    /// Whatever leaves this machine, by what it is for.
    struct Outgoing: Sendable {
        var use: String
        var client: OutgoingClient
    }

    let accounts: Accounts
    let requests: RequestCounts
    let outgoing: [Outgoing]
    let census: Census
    /// Milliseconds since 1970.
    let started: Int64

    /// The page as it is now.
    func page() async throws(ServiceFault) -> [UInt8] {
        let figures = try await census.take()
        var page = Exposition()
        page.family("roost_services_build_info", .gauge, "Version of this program.")
        page.sample("roost_services_build_info", 1, label: ("version", ServicesVersion.number))
        page.single(
            "process_start_time_seconds", .gauge, "When the process started, seconds since 1970.",
            Int(started / 1_000))
        page.single("roost_services_accounts", .gauge, "Accounts, when last counted.", figures.accounts)
        page.single(
            "roost_services_sessions", .gauge, "Sessions that can be refreshed, when last counted.", figures.sessions)
        accounts.counts.write(to: &page)
        write(figures, &page)
        requests.write(to: &page)
        accounts.hashes.write(to: &page)
        writeMail(&page)
        writeOutgoing(&page)
        return Array(page.text.utf8)
    }

    private func write(_ figures: Census.Figures, _ page: inout Exposition) {
        page.single(
            "roost_services_revocations_waiting", .gauge, "Ends of sessions that the relay hasn't been told yet.",
            figures.revocations)
        page.family(
            "roost_services_revocation_wait_seconds", .gauge,
            "Age of the oldest of them: so long the socket of somebody who signed out may have stayed open.")
        let age = figures.oldestRevocation.map { max(0, accounts.clock.now() - $0) } ?? 0
        page.sample("roost_services_revocation_wait_seconds", Double(age) / 1_000)
        page.single(
            "roost_services_grants_waiting", .gauge,
            "What providers of sign-ins granted to accounts that are gone, and haven't ended yet.", figures.grants)
    }

    private func writeMail(_ page: inout Exposition) {
        let mail = accounts.mail.counters
        page.labelled(
            "roost_services_mails_total", .counter, "Letters that a server has taken, or that were given up.",
            by: "result", [("sent", mail.sent), ("failed", mail.failed)])
        page.single("roost_services_mails_waiting", .gauge, "Letters that wait to be sent.", mail.waiting)
    }

    private func writeOutgoing(_ page: inout Exposition) {
        page.family(
            "roost_services_outgoing_total", .counter,
            "Requests and letters that left this machine, each try, by what they are for and how they ended.")
        let counts = outgoing.map { ($0.use, $0.client.counts) }
        for (use, count) in counts {
            for (result, number) in count.ends {
                page.sample("roost_services_outgoing_total", number, labels: [("use", use), ("result", result)])
            }
        }
        page.labelled(
            "roost_services_outgoing_resting", .gauge, "Hosts that failed so often that they are left alone for now.",
            by: "use", counts.map { ($0.0, $0.1.resting) })
    }
}
