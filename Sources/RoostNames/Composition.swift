#if canImport(Darwin)
    import Foundation
#else
    // The standard library normalizes for `==`, and its public interface doesn't have it yet. Foundation stays out of
    // the relay.
    @_spi(_Unicode) import Swift
#endif

extension String {
    /// The text in Normalization Form C, letters with their marks composed (Unicode Standard Annex #15): two texts that
    /// are canonically equivalent have the same bytes.
    package var composed: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        #if canImport(Darwin)
            return precomposedStringWithCanonicalMapping
        #else
            var scalars = UnicodeScalarView()
            scalars.append(contentsOf: _nfc)
            return String(scalars)
        #endif
    }

    /// The text in Normalization Form D, letters apart from their marks.
    package var decomposed: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        #if canImport(Darwin)
            return decomposedStringWithCanonicalMapping
        #else
            var scalars = UnicodeScalarView()
            scalars.append(contentsOf: _nfd)
            return String(scalars)
        #endif
    }
}
