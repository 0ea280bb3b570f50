import HTTPTypes
import RoostWire

/// The routes to the mails that wait for an operator, if there is no mail server.
struct LetterRoutes: Sendable {
    let operators: Operators

    func add(to table: inout RouteTable) {
        let operators = operators
        table.add(.get, "/v1/admin/letters") { call throws(ServiceFault) in
            let letters = try await operators.letters(by: try await operators.caller(call.token))
            return .json { writer in
                writer.objects("letters", letters) { held in
                    writer.member("email", held.letter.to)
                    writer.member("displayName", held.letter.displayName)
                    writer.member("purpose", held.letter.purpose.rawValue)
                    writer.member("link", held.letter.link ?? "")
                    writer.member("expires", held.expires)
                }
            }
        }
    }
}
