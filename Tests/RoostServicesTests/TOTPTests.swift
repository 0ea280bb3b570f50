import Testing

@testable import RoostServices

/// The codes against the standards, and which of them are taken when.
struct TOTPTests {
    private let secret = Array("12345678901234567890".utf8)

    @Test(
        "RFC 6238, appendix B, SHA-1",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)])
    func vectorsOfTime(_ seconds: Int64, _ code: String) {
        #expect(TOTP.code(secret, step: TOTP.step(at: seconds), digits: 8) == code)
        #expect(TOTP.code(secret, step: TOTP.step(at: seconds)) == code.suffix(6))
    }

    @Test("RFC 4226, appendix D")
    func vectorsOfCounters() {
        let codes = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        #expect(codes.indices.map { TOTP.code(secret, step: Int64($0)) } == codes)
    }

    @Test func aClockMayBeAStepWrongAndNoMore() {
        let now: Int64 = 1_800_000_015
        let present = TOTP.step(at: now)
        func step(_ offset: Int64, after last: Int64 = 0) -> Int64? {
            TOTP.step(of: TOTP.code(secret, step: present + offset), secret, now: now, after: last)
        }
        #expect((-2...2).map { step($0) != nil } == [false, true, true, true, false])
        // Twice is once, and what is older than the last one is over.
        #expect(step(0, after: present) == nil && step(-1, after: present) == nil)
        #expect(step(1, after: present) == present + 1)
    }

    @Test func noOtherNumberIsACode() {
        let now: Int64 = 1_800_000_015
        let good = Set((-1...1).map { TOTP.code(secret, step: TOTP.step(at: now) + $0) })
        // Some from everywhere, and those that differ in one digit.
        var numbers = stride(from: 0, to: 1_000_000, by: 997).map { String($0 + 1_000_000).suffix(6) }.map(String.init)
        for code in good {
            for place in 0..<6 {
                for digit in "0123456789" {
                    var digits = Array(code)
                    digits[place] = digit
                    numbers.append(String(digits))
                }
            }
        }
        for number in numbers {
            #expect((TOTP.step(of: number, secret, now: now, after: 0) != nil) == good.contains(number), "\(number)")
        }
    }

    @Test func otherTextsAreNoCodes() {
        let now: Int64 = 1_800_000_015
        let code = TOTP.code(secret, step: TOTP.step(at: now))
        for text in ["", String(code.dropLast()), code + "0", "x" + code.dropFirst()] {
            #expect(TOTP.step(of: text, secret, now: now, after: 0) == nil, "\(text)")
        }
        #expect(TOTP.step(of: code, Array(secret.reversed()), now: now, after: 0) == nil)
    }

    @Test func aSecretIsBase32() {
        // RFC 4648, section 10, without the padding.
        let texts = ["": "", "f": "MY", "fo": "MZXQ", "foo": "MZXW6", "foob": "MZXW6YQ", "fooba": "MZXW6YTB"]
        for (text, code) in texts { #expect(TOTP.base32(Array(text.utf8)) == code) }
        #expect(TOTP.base32(secret) == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    }

    @Test func theAddressFitsASmallCodeWhateverTheNameIs() {
        #expect(
            TOTP.address(secret, of: "ann@example.org")
                == "otpauth://totp/Roost:ann@example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Roost")
        for name in [String(repeating: "ü", count: 100), "a:b?c#d&e=f %", "", String(repeating: "a", count: 254)] {
            let address = TOTP.address(secret, of: name)
            #expect(address.utf8.count <= 106 && address.hasSuffix("&issuer=Roost"), "\(address)")
            #expect(address.split(separator: "?").count == 2 && !address.contains(" ") && !address.contains("#"))
        }
    }

    @Test func typedCodesAreRead() throws {
        let code = RecoveryCode()
        for text in [code.text, code.text.uppercased(), " \(code.text.replacing("-", with: " ")) "] {
            #expect(try FactorCode(text) == .recovery(code))
        }
        #expect(RecoveryCode(typed: "OIL0123456") == RecoveryCode(typed: "0110123456"))
        for text in ["123456", "123 456", " 123-456"] { #expect(try FactorCode(text) == .totp("123456")) }
        for text in [nil, "", "12345", "1234567", "abcde-fghi", "uuuuu-uuuuu", "١٢٣٤٥٦", code.text + "1"] {
            #expect(throws: ServiceFault.self) { try FactorCode(text) }
        }
        #expect(throws: ServiceFault.self) { try FactorCode("123456" + String(repeating: " ", count: 59)) }
        #expect(try FactorCode("123456" + String(repeating: " ", count: 58)) == .totp("123456"))
    }
}
