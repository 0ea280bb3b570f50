import Logging
import RoostAuth
import RoostCore
import RoostTLS
import RoostTransport

/// SIGHUP: what can change while clients are connected. Everything else waits for a restart.
extension Gateway {
    /// The files that were read again, on another thread.
    struct Reloaded: Sendable {
        var configuration: Configuration
        var keys: KeyRing
        /// Nil for plain text.
        var certificate: TLSContext?
    }

    func reload(_ reloaded: Reloaded) {
        service?.reloading(at: now.monotonic)
        let new = reloaded.configuration
        var taken = configuration
        taken.listen.origins = new.listen.origins
        taken.listen.services = new.listen.services
        taken.auth = new.auth
        taken.metrics = new.metrics
        taken.logLevel = new.logLevel
        taken.rules = new.rules
        taken.unknownNames = new.unknownNames
        relay.rules = new.rules
        if let renewed = reloaded.certificate, certificate != nil {
            (taken.tls.certificate, taken.tls.key, taken.tls.clientCA) = (
                new.tls.certificate, new.tls.key, new.tls.clientCA
            )
            certificate = renewed
            loop?.renew(renewed)
        }
        configuration = taken
        origins = OriginPolicy(origins: taken.listen.origins)
        connectionLog.forgetOrigins()
        workers?.keys = reloaded.keys
        connectionLog.log.logLevel = taken.logLevel
        noteComingsAsLogged()
        log.notice(
            "Reloaded keys, certificates, origins, rules, the metrics' token and the log level",
            metadata: [
                "event": "relay.reloaded", "needsRestart": "\(taken != new)", "gate": "\(taken.rules.gate.mode)",
            ])
        service?.ready(at: now.monotonic, "serving")
    }

    func reloadFailed(_ reason: String) {
        log.error(
            "The configuration can't be read again; the old one stays",
            metadata: ["event": "relay.reload_failed", "error": "\(reason)"])
    }

    /// Has the relay note the sessions that the log wants.
    func noteComingsAsLogged() {
        let level = connectionLog.log.logLevel
        relay.comingsNoted = level <= .debug ? .all : level <= .info ? .unusual : .none
    }
}
