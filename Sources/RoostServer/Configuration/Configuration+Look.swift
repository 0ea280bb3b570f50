import Glibc
import RoostStorage
import RoostTLS
import RoostTransport
import RoostWire

extension Configuration {
    /// Reads the files of `tls`; nil if they aren't named.
    func certificate() throws(TLSFailure) -> TLSContext? {
        guard tls.isOn else { return nil }
        return try TLSContext(
            certificate: tls.certificate, key: tls.key, clientCA: tls.clientCA.isEmpty ? nil : tls.clientCA)
    }

    /// A name in the relay's certificate; nil without TLS, or if the certificate has no name.
    public func certificateName() throws(ServerFailure) -> String? {
        do throws(TLSFailure) { return try certificate()?.name } catch { throw ServerFailure("tls: \(error)") }
    }

    /// Findings about this machine for `roost serve`, one line for each.
    public struct Findings: Sendable, Equatable {
        /// Findings that would stop it.
        public var errors: [String] = []
        /// Findings that would limit it, or that the operator may not have meant.
        public var warnings: [String] = []
    }

    /// Looks at what `roost serve` will meet: the store's folder and disk, descriptors, and the address. It starts
    /// nothing, and leaves nothing behind.
    public func look() -> Findings {
        var findings = Findings()
        lookAtStore(&findings)
        lookAtDescriptors(&findings)
        lookAtAddress(&findings)
        lookAtCertificate(&findings)
        return findings
    }

    private func lookAtStore(_ findings: inout Findings) {
        if access(store.path, F_OK) == 0, access(store.path, R_OK | W_OK) != 0 {
            findings.errors.append(fault("store.path", store.path, errno))
        }
        do throws(StorageFailure) { try SQLiteLog.checkPresence(at: store.path) } catch {
            findings.errors.append("store.path: \(error)")
        }
        // `serve` makes the folder, but not the one that it is in.
        var folder = Configuration.folder(of: store.path)
        if access(folder, F_OK) != 0 { folder = Configuration.folder(of: folder) }
        if access(folder, W_OK | X_OK) != 0 {
            return findings.errors.append(fault("store.path", folder, errno))
        }
        guard let free = FreeSpace.bytes(at: folder), free >> 20 < Int64(store.freeMegabytes) else { return }
        findings.warnings.append(
            "store.free_megabytes: only \(free >> 20) MiB are free at \(folder), so nothing would be stored")
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func fault(_ key: String, _ path: String, _ code: Int32) -> String {
        "\(key): \(path) can't be written: \(String(cString: strerror(code)))"
    }

    func lookAtDescriptors(_ findings: inout Findings) {
        // Beside the connections: those that end or are refused, the store, keys and threads.
        let needed = connectionsMax + 1_024
        guard let allowed = DescriptorLimit.current, allowed < needed else { return }
        findings.warnings.append(
            "limits.connections: \(connectionsMax) connections need some \(needed) descriptors, and the process may "
                + "open \(allowed): raise LimitNOFILE")
    }

    private func lookAtCertificate(_ findings: inout Findings) {
        do throws(TLSFailure) {
            guard let certificate = try certificate(), let expires = certificate.expires else { return }
            let days = (expires.milliseconds - Clock.wall().milliseconds) / 86_400_000
            if days < 14 { findings.warnings.append("tls.certificate: it expires in \(days) days") }
        } catch {
            findings.errors.append("tls: \(error)")
        }
    }

    private func lookAtAddress(_ findings: inout Findings) {
        var settings = TransportSettings()
        settings.host = listen.host
        settings.port = listen.port
        do throws(TransportFailure) {
            try ListenAddress.tryListening(settings)
        } catch {
            // Most likely the relay that runs already.
            if case .addressInUse = error {
                findings.warnings.append("listen: \(error)")
            } else {
                findings.errors.append("listen: \(error)")
            }
        }
        if ListenAddress(listen.host)?.isLocal == false, !tls.isOn {
            findings.warnings.append(
                "listen.host: other machines can connect to \(listen.host), and what they send isn't encrypted")
        }
    }
}
