extension EnginePlan {
    /// A plan with a run name of its own and a token for every user.
    static func make(
        _ scenario: Scenario, url: String, caFile: String? = nil, keyFile: String, startAt: UInt64? = nil
    ) throws(RunFailure) -> EnginePlan {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        let run = String(repeating: "0", count: 8 - digits.count) + digits
        let names = (0..<scenario.users + scenario.outsiders).map { EnginePlan.userName($0, run: run) }
        let tokens = try TokenMint.tokens(for: names, keyFile: keyFile)
        var plan = EnginePlan(scenario: scenario, url: url, tokens: tokens, runName: run, startAt: startAt)
        plan.caFile = caFile
        return plan
    }
}

extension Engine {
    /// Makes an engine and runs it on the calling thread.
    static func run(
        _ plan: EnginePlan, interrupted: @escaping () -> Bool, observe: @escaping (EngineMoment) -> Void
    ) throws(RunFailure) -> RunResult {
        do throws(EngineFailure) {
            return try Engine(plan: plan).run(interrupted: interrupted, observe: observe)
        } catch {
            throw RunFailure(error.description)
        }
    }
}
