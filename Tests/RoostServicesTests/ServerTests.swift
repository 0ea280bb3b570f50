import RoostServices
import Testing

@Test func starts() { _ = application() }
