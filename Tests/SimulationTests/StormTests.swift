import RoostTestKit
import RoostWire
import Testing

/// Load that a relay bears must be bearable again after a storm. Being behind may cost no more than being live, or no
/// client ever gets out of it.
@Suite struct StormTests {
    private static let pairs = 20
    private static let rate = 1_000

    private func storm(_ change: (inout Limits) -> Void = { _ in }) -> StormModel {
        var limits = Limits()
        change(&limits)
        let model = StormModel(pairs: Self.pairs, rate: Self.rate, limits: limits)
        model.run(seconds: 3)
        #expect(model.sessionsBehind == 0 && model.lateness < 50_000)
        model.cutAll()
        model.run(seconds: 4)
        return model
    }

    @Test func everybodyIsLiveAgainUnderTheSameLoad() {
        let model = storm()
        #expect(model.sessionsReady == Self.pairs * 2)
        #expect(model.sessionsBehind == 0)
        #expect(model.lateness < 50_000)
    }

    /// The model can see the bad state: without a window each event costs a session that is behind a read.
    @Test func withoutAWindowNobodyGetsOutOfIt() {
        let model = storm { $0.windowBytes = 0 }
        #expect(model.sessionsBehind >= Self.pairs / 2)
        model.rest()
        #expect(model.sessionsBehind == 0)
    }
}
