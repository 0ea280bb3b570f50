import Foundation
import RoostConfiguration
import RoostServicesConfiguration
import Testing

@testable import RoostServices

/// The sections of roost.yaml that are ours.
struct ConfigurationTests {
    private func load(
        _ text: String, environment: [String: String] = [:], flags: [String] = []
    ) throws -> ServicesConfiguration {
        let folder = TestFolder()
        let path = folder.path + "/roost.yaml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return try ServicesConfiguration.load(
            file: path, environment: environment, flags: flags.map { try ConfigurationFlag(set: $0) })
    }

    private func failure(_ text: String, environment: [String: String] = [:], flags: [String] = []) -> String {
        do {
            _ = try load(text, environment: environment, flags: flags)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: ["127.0.0.1, fd00::/8", "127.0.0.1,fd00::/8", "[127.0.0.1, fd00::/8]", "[127.0.0.1,fd00::/8]"])
    func listsMayHaveTheBracketsOfAFile(_ text: String) throws {
        #expect(try load("", flags: ["services.proxies=\(text)"]).proxies == ["127.0.0.1", "fd00::/8"])
        #expect(try load("", environment: ["ROOST_SERVICES_PROXIES": text]).proxies == ["127.0.0.1", "fd00::/8"])
        #expect(try load("", flags: ["services.proxies=[]"]).proxies.isEmpty)
        for half in ["[127.0.0.1", "127.0.0.1]", "[", "[[127.0.0.1]]"] {
            #expect(failure("", flags: ["services.proxies=\(half)"]).contains("services.proxies"), "\(half)")
        }
    }

    @Test func laterSourcesOverrideEarlierOnes() throws {
        let text = """
            listen:
              port: 1
            services:
              port: 9000
              origins: [https://a.example, "http://localhost:*"]
            accounts: {password_min: 6, roles: [trainer, client]}
            tokens:
            """
        let found = try load(text)
        #expect(found.port == 9_000)
        #expect(found.origins == ["https://a.example", "http://localhost:*"])
        #expect(found.passwordMin == 6)
        #expect(found.roles == ["trainer", "client"])
        let environment = [
            "ROOST_SERVICES_PORT": "9001", "ROOST_LISTEN_PORT": "x", "ROOST_SERVICES_SERVICE_HOST": "10.0.0.1",
            "ROOST_ACCOUNTS_ROLES": "one, two", "ROOST_STRICT": "1",
        ]
        let overridden = try load(text, environment: environment, flags: ["services.port=9002"])
        #expect(overridden.port == 9_002)
        #expect(overridden.roles == ["one", "two"])
    }

    @Test func kubernetesMayHaveAVariableOfTheSameName() throws {
        #expect(try load("", environment: ["ROOST_SERVICES_PORT": "tcp://10.0.0.1:8081"]).port == 8_081)
    }

    @Test func mistakesAreNamedInOneLine() {
        #expect(
            failure("services:\n  prot: 1").hasSuffix(
                "roost.yaml:2: services.prot: unknown key; did you mean services.port?"))
        #expect(
            failure("servces:\n  port: 1").hasSuffix(
                "roost.yaml:2: servces.port: unknown key; did you mean services.port?"))
        #expect(failure("tokens: {access_seconds: 43201}").contains("from 1 to 43200"))
        #expect(failure("services: 3").contains("services: unknown key"))
        #expect(failure("services: {port: 70000}").contains("services.port: \"70000\" is not allowed"))
        #expect(failure("services: {port: [1]}").contains("expected a whole number"))
        #expect(failure("accounts: {password_min: 5}").contains("from 6 to 64"))
        #expect(failure("services: {origins: [https://a.example/]}").contains("an origin such as"))
        #expect(failure("services: {public_url: https://a.example/}").contains("without a slash"))
        #expect(failure("mail: {mode: pigeon}").contains("one of print, smtp, off"))
        #expect(failure("mail: {security: maybe}").contains("one of starttls, tls, none"))
        #expect(failure("mail: {password: \"se\\u0001cret\"}").contains("mail.password: the value (not shown)"))
        #expect(failure("", environment: ["ROOST_MAIL_MOOD": "x"]).contains("no key belongs to this variable"))
        #expect(failure("", flags: ["services.port"]).contains("expected key=value"))
        for text in ["", "a", "10.0.0.0/7", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0.0/8/8"] {
            #expect(failure("services: {proxies: [\"\(text)\"]}").contains("a network from /8 on"))
        }
        #expect(failure("", flags: ["servces.port=1"]).contains("servces.port: unknown key"))
        // Those of the relay are its own concern.
        #expect(failure("", flags: ["listen.port=x"]).isEmpty)
        #expect(failure("a: [").contains("not valid YAML"))
        #expect(throws: ConfigurationFailure.self) { try ServicesConfiguration.load(file: "/nowhere/x") }
    }
}
