import Foundation
import RoostWire

/// The connection of commands to the services: by their program, which may read the keys on this machine, and has the
/// one HTTP client. This program doesn't link it. A value.
struct ServicesLine {
    /// The program's path, its options for the configuration and the operator, and a token to use instead of a new one.
    let program: String
    let words: [String]
    let token: String?

    /// Sends a request, and returns what came back. A refusal is thrown in its own words.
    func ask(
        _ method: String, _ path: String, _ members: ((JSONWriter) -> Void)? = nil
    ) throws -> (members: JSONMembers, text: [UInt8]) {
        let (status, body) = try send(method, path, members.map { JSONWriter.object($0) } ?? [])
        let read = body.withUnsafeBytes { JSONMembers(parsing: $0) } ?? JSONMembers()
        guard status < 400 else {
            let code = read.string("code")
            throw AdminFailure("\(code ?? "status \(status)"): \(read.string("reason") ?? "")", code: code)
        }
        return (read, body)
    }

    private func send(_ method: String, _ path: String, _ body: [UInt8]) throws -> (status: Int, body: [UInt8]) {
        // The token isn't on its command line, which every user of the machine can see.
        let text = try ServicesProgram.output(
            of: ["admin", method, path] + words, input: body,
            environment: token.map { ["ROOST_ADMIN_TOKEN": $0] } ?? [:], program: program)
        // The status, and the body behind a line break.
        let parts = text.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let status = Int(String(decoding: parts[0], as: UTF8.self)) else {
            throw AdminFailure("\(program): not understood; is it of the same version?")
        }
        return (status, Array(parts[1]))
    }

    /// Encodes typed words as a part of a path: ids have letters and digits only.
    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    // MARK: Sign-ins

    /// Ends all sessions of a user, which is given by the id.
    func endSessions(of user: String) throws { _ = try ask("DELETE", "/v1/admin/users/\(Self.encoded(user))/sessions") }

    /// Ends those on one device. Each by its own name: a path may be in the log of a proxy, where no device belongs.
    /// - Returns: how many there were.
    func endSessions(of user: String, on device: String) throws -> Int {
        let person = try ask("GET", "/v1/admin/users/\(Self.encoded(user))").members
        let named = (person.objects("sessions") ?? []).filter { $0.string("device") == device }
        let sessions = named.compactMap { $0.string("session") }
        for session in sessions { try endSession(session) }
        return sessions.count
    }

    /// Ends one.
    func endSession(_ session: String) throws { _ = try ask("DELETE", "/v1/admin/sessions/\(Self.encoded(session))") }
}
