import RoostNames
import RoostWire

/// Readers for names and other texts that people see (Docs/Protocol.md, section 2). It keeps nothing.
struct ShownTexts {
    let members: CommandMembers

    /// Reads a name: composed, and without white space at its ends.
    func name(_ member: Member, atMost most: Int) throws(Refusal) -> Text {
        let text = try members.string(member)
        let tooLong = members.refusal(member, "must be at most \(most) bytes", .tooLarge)
        guard text.count <= most else { throw tooLong }
        let name = NameForm.kept(text.string)
        if let fault = NameForm.fault(in: name.unicodeScalars, as: .name) { throw members.refusal(member, fault.rule) }
        guard name.utf8.count <= most, let kept = members.composed.keep(name) else { throw tooLong }
        return kept
    }

    /// Checks a text that others see, or that takes something away if it is empty.
    func check(_ text: Text, of member: Member, as use: NameForm.Use) throws(Refusal) {
        guard !text.isEmpty, let fault = text.fault(as: use) else { return }
        throw members.refusal(member, fault.rule)
    }
}

extension CommandMembers {
    /// Readers for texts that people see.
    var shown: ShownTexts { ShownTexts(members: self) }
}

/// The name of a command in the form in which it is stored. Each command has one at most, and the next one takes its
/// place. Used by one thread.
final class ComposedName {
    private let bytes: UnsafeMutableRawBufferPointer

    /// Has room for a name of so many bytes.
    init(atMost most: Int) { bytes = .allocate(byteCount: most, alignment: 1) }

    deinit { bytes.deallocate() }

    /// A copy that is valid as long as other texts of the command; nil if it is too long.
    func keep(_ name: String) -> Text? {
        let utf8 = name.utf8
        guard utf8.count <= bytes.count else { return nil }
        bytes.copyBytes(from: utf8)
        return Text(UnsafeRawBufferPointer(rebasing: bytes[..<utf8.count]))
    }
}
