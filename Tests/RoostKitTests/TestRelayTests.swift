import RoostClient
import RoostTestClient
import Testing

/// The relay in memory, as far as apps' tests rely on it.
@Suite struct TestRelayTests {
    /// An app may write before it notices the end: its message is lost, and isn't taken as that of the next connection.
    @Test func aSocketThatHasEndedReachesNobody() throws {
        let relay = TestRelay()
        let hello = Array(#"{"type":"hello","id":1,"token":"alice","device":"phone"}"#.utf8)
        let first = try relay.connector.connect(to: "") { _ in }
        relay.cut()
        let second = try relay.connector.connect(to: "") { _ in }
        #expect(!first.send(hello))
        #expect(second.send(hello))
    }
}
