import Testing

@testable import RoostLoad

@Suite struct KneeSearchTests {
    /// A relay that breaks above `capacity`, driven by a harness that doesn't keep up above `own`.
    private func search(
        from: Double, factor: Double = 1.5, bisections: Int = 4, capacity: Double, own: Double = .infinity
    ) -> (search: KneeSearch, rates: [Double]) {
        var search = KneeSearch(from: from, factor: factor, bisections: bisections)
        var rates: [Double] = []
        while let rate = search.next, rates.count < 1_000 {
            rates.append(rate)
            search.note(rate > own ? .invalid : rate > capacity ? .broken : .held)
        }
        return (search, rates)
    }

    @Test(arguments: [100.0, 950, 1_000, 12_345, 400_000])
    func findsARateCloseToTheCapacity(_ capacity: Double) throws {
        let (search, rates) = search(from: 100, capacity: capacity)
        let knee = try #require(search.knee)
        let limit = try #require(search.limit)
        #expect(knee <= capacity)
        #expect(limit.rate > capacity)
        #expect(limit.why == .broken)
        // A factor of 1.5, halved four times.
        #expect(limit.rate / knee < 1.03)
        #expect(rates.first == 100)
        #expect(rates.count <= KneeSearch.rampMax + KneeSearch.bisectionsMax + 1)
    }

    @Test func lowersAFirstRateThatIsTooHigh() throws {
        let (search, rates) = search(from: 10_000, capacity: 700)
        let knee = try #require(search.knee)
        #expect(knee <= 700)
        #expect(knee > 700 / 1.03)
        #expect(rates[1] < rates[0])
    }

    @Test func reportsThatTheHarnessWasTheLimit() throws {
        let (search, _) = search(from: 100, capacity: 50_000, own: 3_000)
        #expect(search.limit?.why == .invalid)
        let knee = try #require(search.knee)
        #expect(knee <= 3_000 && knee > 3_000 / 1.03)
    }

    @Test func stopsAtTheHighestAllowedRate() {
        let (search, rates) = search(from: 1_000, factor: 10, capacity: .infinity)
        #expect(search.knee == HarnessLimits.rateMax)
        #expect(search.limit == nil)
        #expect(rates.last == HarnessLimits.rateMax)
        #expect(Set(rates).count == rates.count)
    }

    @Test func givesUpWhenNoRateHolds() {
        let (search, rates) = search(from: 1_000, capacity: 0)
        #expect(search.knee == nil)
        #expect(search.next == nil)
        #expect(rates.count <= KneeSearch.rampMax + 1)
    }

    @Test func withoutBisectionsOnlyBracketsTheRate() {
        let (search, rates) = search(from: 100, factor: 2, bisections: 0, capacity: 500)
        #expect(rates == [100, 200, 400, 800])
        #expect(search.knee == 400)
    }

    @Test func searchingFromZeroStillProgresses() {
        #expect(KneeSearch(from: 0, factor: 2).next == 0.1)
        #expect(KneeSearch(from: .infinity, factor: 2).next == HarnessLimits.rateMax)
    }
}

@Suite struct KneeRunTests {
    private func scenario() -> Scenario {
        var scenario = Scenario(name: "model", about: "")
        scenario.conversations.pairs = 10
        scenario.messages = Scenario.Messages()
        scenario.thresholds = [Threshold(figure: "errors", bound: 0)]
        return scenario
    }

    /// A relay that answers errors above a rate.
    private func run(_ scenario: Scenario, _ options: RunOptions, capacity: Double) -> Report {
        var result = RunResult()
        result.seconds = 1
        result.counts.due = 1_000
        result.counts.sent = 1_000
        let rate = scenario.messages?.rate ?? 0
        if rate > capacity { result.errors["busy"] = 5 }
        return Report(
            scenario: scenario, result: result, cost: nil, machine: .init(), command: "", workers: 1, started: "")
    }

    @Test func findsTheKneeAndRunsOnceAtHalfOfIt() throws {
        var rates: [Double] = []
        var told = 0
        let search = KneeRun(scenario(), RunOptions()) { scenario, options in
            rates.append(scenario.messages?.rate ?? 0)
            #expect(options.rate == rates.last)
            return run(scenario, options, capacity: 500)
        }
        let (knee, half) = try search.run(KneeSearch(from: 100, factor: 2, bisections: 1)) { _ in told += 1 }
        let rate = try #require(knee.rate)
        #expect(rate <= 500 && rate >= 400)
        #expect(rates.last == rate / 2)
        #expect(half?.scenario.messages?.rate == rate / 2)
        #expect(told == knee.steps.count)
        #expect(knee.steps.count == rates.count - 1)
        #expect(knee.limit?.why == .broken)
        #expect(knee.verdict == .held)
        #expect(knee.text(width: 100, colour: false).contains("The knee of model is at"))
    }

    @Test func aRunThatFailsEndsTheSearch() throws {
        let search = KneeRun(scenario(), RunOptions()) { scenario, _ in
            .failed("no relay", scenario: scenario, machine: .init(), command: "", workers: 1, started: "")
        }
        #expect(throws: RunFailure("no relay")) { try search.run(KneeSearch(from: 100, factor: 2)) { _ in } }
    }

    @Test func anInterruptedRunEndsTheSearchButKeepsItsFindings() throws {
        var count = 0
        let search = KneeRun(scenario(), RunOptions()) { scenario, options in
            count += 1
            var report = run(scenario, options, capacity: 1e9)
            report.result.wasInterrupted = count == 3
            return report
        }
        let (knee, half) = try search.run(KneeSearch(from: 100, factor: 2)) { _ in }
        #expect(knee.wasInterrupted)
        #expect(knee.rate == 200)
        #expect(half == nil)
        #expect(knee.verdict == .invalid)
    }
}
