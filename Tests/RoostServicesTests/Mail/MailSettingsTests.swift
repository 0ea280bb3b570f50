import RoostServicesConfiguration
import Testing

@testable import RoostServices

struct MailSettingsTests {
    private var good: MailSettings {
        var settings = MailSettings()
        settings.host = "mail.example.org"
        settings.from = "Roost <no-reply@example.org>"
        return settings
    }

    @Test("A server is named by its host, port and security")
    func route() throws {
        var settings = good
        #expect(try settings.route().url.text == "smtp://mail.example.org:587/example.org")
        settings.security = .tls
        settings.port = 465
        settings.host = "::1"
        #expect(try settings.route().url.text == "smtps://[::1]:465/example.org")
    }

    @Test("Each wrong setting is refused under its key, without any password")
    func refuses() throws {
        let cases: [(String, (inout MailSettings) -> Void)] = [
            ("mail.host", { $0.host = "" }), ("mail.host", { $0.host = "a/b" }), ("mail.host", { $0.host = "a@b" }),
            ("mail.host", { $0.host = "a b" }), ("mail.host", { $0.host = "::z" }), ("mail.port", { $0.port = 0 }),
            ("mail.port", { $0.port = 65_536 }), ("mail.security", { $0.security = .none }),
            ("mail.password", { $0.user = "u" }), ("mail.password", { $0.password = "secret" }),
            ("mail.from", { $0.from = "" }), ("mail.from", { $0.from = "a\r\n@b" }),
            ("mail.reply_to", { $0.replyTo = "nobody" }),
        ]
        for (key, change) in cases {
            var settings = good
            change(&settings)
            let fault = try #require(throws: MailSettingsFault.self) { try settings.route() }
            #expect(fault.key == key)
            #expect(!fault.description.contains("secret"))
        }
    }

    @Test("Without encryption only this machine is reached", arguments: ["localhost", "127.0.0.1", "::1"])
    func plain(_ host: String) throws {
        var settings = good
        settings.security = .none
        settings.host = host
        _ = try settings.route()
    }
}
