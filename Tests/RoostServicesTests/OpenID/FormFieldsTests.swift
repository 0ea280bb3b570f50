import Testing

@testable import RoostServices

struct FormFieldsTests {
    @Test("Fields are read as browsers write them")
    func reads() throws {
        let fields = try #require(FormFields("code=a%2Bb+c&state=&flag&user=%7B%22n%22%3A%22J%C3%B6%22%7D".utf8))
        #expect(fields["code"] == "a+b c")
        #expect(fields["state"] == "")
        #expect(fields["flag"] == "")
        #expect(fields["user"] == #"{"n":"Jö"}"#)
        #expect(fields["other"] == nil)
        #expect(FormFields("".utf8) != nil)
    }

    @Test(
        "What is there twice or can't be read is refused",
        arguments: ["a=1&a=2", "a=%", "a=%2", "a=%zz", "a=%+1", "a=%FF"])
    func refuses(_ text: String) { #expect(FormFields(text.utf8) == nil) }

    @Test("What is written is read again")
    func writes() throws {
        let text = FormFields.encoded([("a b", "ö&=+%/~"), ("c", "")])
        #expect(text == "a%20b=%C3%B6%26%3D%2B%25%2F~&c=")
        #expect(try #require(FormFields(text.utf8))["a b"] == "ö&=+%/~")
    }
}
