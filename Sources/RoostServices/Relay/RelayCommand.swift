import RoostWire

/// A command for the relay, with its members as JSON.
package struct RelayCommand: Sendable {
    /// A member.
    package struct Member: Sendable {
        let name: StaticString
        /// Raw JSON.
        let value: [UInt8]

        init(name: StaticString, value: [UInt8]) {
            self.name = name
            self.value = value
        }

        /// A number.
        init(name: StaticString, number: Int64) { self.init(name: name, value: Array("\(number)".utf8)) }

        /// A text.
        init(name: StaticString, text: String) {
            let writer = JSONWriter()
            writer.beginBare()
            writer.element(text)
            self.init(name: name, value: Array(writer.written))
        }
    }

    /// Bytes of a frame beside the members.
    private static let frameBytes = 64

    package let type: CommandType
    package let members: [Member]
    /// Whether it may be given again if its answer was lost: it has a key, or does no more the second time.
    package let isRepeatable: Bool

    package init(_ type: CommandType, _ members: [Member], isRepeatable: Bool = true) {
        self.type = type
        self.members = members
        self.isRepeatable = isRepeatable
    }

    /// At most so many bytes.
    var bytes: Int {
        members.reduce(RelayCommand.frameBytes) { $0 + $1.name.utf8CodeUnitCount + $1.value.count + 4 }
    }

    func write(to writer: JSONWriter) {
        for member in members { writer.member(member.name, raw: member.value) }
    }
}

/// Carries commands out: the relay, or a stand-in for tests.
package protocol RelayCommands: Sendable {
    /// Returns `ok`.
    /// - Throws: the relay's refusal; `unavailable` if it is away, in which case the command may have been carried out.
    func carryOut(_ command: RelayCommand) async throws(ServiceFault) -> RelayReply
    /// There is nothing more to ask for now.
    func rest() async
}

/// The relay's answer: JSON.
package struct RelayReply: Sendable {
    package let text: [UInt8]

    package init(_ text: [UInt8]) { self.text = text }

    /// Its members.
    package var members: JSONMembers { text.withUnsafeBytes { JSONMembers(parsing: $0) } ?? JSONMembers() }
}
