import Logging
import RoostClient
import RoostWire

/// A session with the relay, as a service, on which many commands are under way at once. It is opened with the first
/// command, and again with the next one after it was lost. A lost answer is asked for again once, if the command may be
/// repeated; after that the caller has to.
package actor RelayLine: RelayCommands {
    private struct Line {
        let client: OperatorClient
        /// Most bytes of a command that this relay takes. A longer one would end the session.
        let frameBytes: Int
        /// When to hand over a new token, in seconds since 1970.
        var renewAt: Int64
    }

    private let url: String
    private let connector: any SocketConnector
    private let token: @Sendable () throws(ServiceFault) -> String
    private let limits: ServicesLimits
    private let clock: WallClock
    private let log: Logger
    private var line: Line?
    private var opening: Task<Result<Line, RoostFailure>, Never>?
    private var underWay = 0
    // Until then the relay takes no more from us, in milliseconds since 1970.
    private var pausedUntil: Int64 = 0
    // Last failure logged, so that an unreachable relay is logged once.
    private var lastFailure = ""

    /// Nothing is connected yet.
    /// - Parameter token: makes a token with the scope `service`.
    package init(
        url: String, connector: any SocketConnector, limits: ServicesLimits, clock: WallClock, log: Logger,
        token: @escaping @Sendable () throws(ServiceFault) -> String
    ) {
        self.url = url
        self.connector = connector
        self.limits = limits
        self.token = token
        self.clock = clock
        self.log = log
    }

    package func carryOut(_ command: RelayCommand) async throws(ServiceFault) -> RelayReply {
        guard underWay < limits.relayCommandsMax else {
            throw ServiceFault(.busy, "too many commands are under way", retryAfter: Int64(limits.busySeconds))
        }
        underWay += 1
        defer { underWay -= 1 }
        // A session that went on although the relay asked it to wait would be disconnected, with all its commands.
        let pause = pausedUntil - clock.now()
        guard pause <= 0 else { throw RelayLine.rateLimited(milliseconds: pause) }
        let client = try await client(for: command)
        do throws(RoostFailure) {
            return try await ask(command, of: client)
        } catch {
            // The session ended while no command was waiting, or just now.
            let mayRepeat = try mayRepeat(after: error)
            guard mayRepeat, command.isRepeatable else { throw RelayLine.away }
        }
        let other = try await self.client(for: command)
        do throws(RoostFailure) { return try await ask(command, of: other) } catch {
            _ = try mayRepeat(after: error)
            throw RelayLine.away
        }
    }

    private func ask(_ command: RelayCommand, of client: OperatorClient) async throws(RoostFailure) -> RelayReply {
        do throws(RoostFailure) {
            let reply = try await client.ask(command.type) { command.write(to: $0) }
            return RelayReply(reply.text)
        } catch {
            // A line continues after a refusal, unless our token has ended.
            if case .refused(let refusal) = error, !refusal.is(.tokenExpired) { throw error }
            await drop(client)
            throw error
        }
    }

    /// Whether asking once more can help.
    /// - Throws: the relay's refusal.
    private func mayRepeat(after failure: RoostFailure) throws(ServiceFault) -> Bool {
        switch failure {
        case .refused(let refusal) where refusal.is(.tokenExpired): return true
        case .refused(let refusal):
            let fault = ServiceFault(refusal)
            if refusal.is(.rateLimited), refusal.conversation == nil, let wait = refusal.retryAfter {
                pausedUntil = clock.now() + Int64(wait / .milliseconds(1))
            }
            throw fault
        case .timedOut: return false
        default: return true
        }
    }

    // MARK: The line

    private func client(for command: RelayCommand) async throws(ServiceFault) -> OperatorClient {
        let line = try await connected()
        guard command.bytes <= line.frameBytes else {
            throw ServiceFault(.tooLarge, "the command has more than \(line.frameBytes) bytes")
        }
        return line.client
    }

    private func connected() async throws(ServiceFault) -> Line {
        if let line, clock.seconds < line.renewAt { return line }
        if let line = try await renewed() { return line }
        let opening = opening ?? Task { await open() }
        self.opening = opening
        let result = await opening.value
        if self.opening == opening { self.opening = nil }
        do throws(RoostFailure) {
            let opened = try result.get()
            let line = line ?? opened
            self.line = line
            lastFailure = ""
            return line
        } catch {
            note(error)
            throw RelayLine.away
        }
    }

    private func open() async -> Result<Line, RoostFailure> {
        do throws(RoostFailure) {
            let token: String
            do throws(ServiceFault) { token = try self.token() } catch { throw .notConnected }
            let client = try OperatorClient(url: url, token: token, connector: connector)
            do throws(RoostFailure) {
                let welcome = try await client.connect()
                return .success(
                    Line(client: client, frameBytes: welcome.limits.frameBytes, renewAt: nextRenewal))
            } catch {
                await client.close()
                throw error
            }
        } catch {
            return .failure(error)
        }
    }

    /// Half of a token's life is time enough to hand over the next one.
    private var nextRenewal: Int64 { clock.seconds + limits.serviceTokenSeconds / 2 }

    /// Hands over a new token; nil if the line is lost.
    private func renewed() async throws(ServiceFault) -> Line? {
        guard var renewing = line else { return nil }
        // Commands that come meanwhile use the old token, which stays valid for as long again.
        renewing.renewAt = nextRenewal
        line = renewing
        let token = try token()
        do throws(RoostFailure) {
            _ = try await renewing.client.ask(.refresh) { $0.member("token", token) }
            return renewing
        } catch {
            await drop(renewing.client)
            return nil
        }
    }

    private func drop(_ client: OperatorClient) async {
        if line?.client === client { line = nil }
        await client.close()
    }

    /// Says goodbye until there is more to ask.
    package func rest() async {
        guard let client = line?.client else { return }
        await drop(client)
    }

    private static let away = ServiceFault(.unavailable, "the relay is away; try again", retryAfter: 1)

    private static func rateLimited(milliseconds: Int64) -> ServiceFault {
        ServiceFault(
            .rateLimited, "the relay takes no more commands at the moment",
            retryAfter: max(1, (milliseconds + 999) / 1_000))
    }

    private func note(_ failure: RoostFailure) {
        let text = "\(failure)"
        guard text != lastFailure else { return }
        lastFailure = text
        log.warning("the relay can't be reached", metadata: ["failure": "\(text)"])
    }
}

extension ServiceFault {
    /// A refusal of the relay, in words of HTTP.
    init(_ refusal: CommandRefusal) {
        let wait = refusal.retryAfter.map { max(1, Int64(($0 / .seconds(1)).rounded(.up))) }
        switch ErrorCode(word: refusal.code) {
        case .badJSON, .badRequest: self.init(.badRequest, refusal.reason)
        case .badPosition: self.init(.badPosition, refusal.reason)
        case .forbidden: self.init(.forbidden, refusal.reason)
        case .noRelationship: self.init(.noRelationship, refusal.reason)
        case .blocked: self.init(.blocked, refusal.reason)
        case .notFound: self.init(.notFound, refusal.reason)
        case .gone: self.init(.gone, refusal.reason)
        case .conflict: self.init(.conflict, refusal.reason)
        case .usernameTaken: self.init(.usernameTaken, refusal.reason, member: "username")
        case .tooLarge: self.init(.tooLarge, refusal.reason)
        case .rateLimited: self.init(.rateLimited, refusal.reason, retryAfter: wait ?? 1)
        case .busy: self.init(.busy, refusal.reason, retryAfter: wait ?? 1)
        case .unavailable: self.init(.unavailable, refusal.reason, retryAfter: wait ?? 1)
        // It is a mistake of ours, or in the setup of the keys.
        case .unknownType, .notReady, .unauthorized, .tokenExpired, nil:
            self.init(.unavailable, "the relay doesn't take our commands", retryAfter: 5)
        }
    }
}
