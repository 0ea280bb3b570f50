import Foundation

/// A certificate of roost.test and 127.0.0.1, signed by itself, until 2120. Its key is no secret: it is for tests.
enum TestCertificate {
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBSzCB8aADAgECAgEBMAoGCCqGSM49BAMCMBUxEzARBgNVBAMMCnJvb3N0LnRl
        c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBUxEzARBgNVBAMM
        CnJvb3N0LnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARxbAXSj/L/+8/4
        C80KRxURBG44kb4IiTJ5P2oLKhybv0Ke29X5G73DBUklpHsBzgT1s42BQZ4w1X9n
        Ry3Gjo4jozAwLjAPBgNVHRMBAf8EBTADAQH/MBsGA1UdEQQUMBKCCnJvb3N0LnRl
        c3SHBH8AAAEwCgYIKoZIzj0EAwIDSQAwRgIhAKvwo9TsUr3Y3WsFy4RL+ujRBQJg
        LhE9tDswlIWB6yQgAiEA0zMsMLBZ8r0q5kzR4btlbxzHyvo33fGITU6zPFNludg=
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5b4Xv11VXdaVwcSV
        PlQ2KIlrQ7+8MeAPxvkgW28w9CyhRANCAARxbAXSj/L/+8/4C80KRxURBG44kb4I
        iTJ5P2oLKhybv0Ke29X5G73DBUklpHsBzgT1s42BQZ4w1X9nRy3Gjo4j
        -----END PRIVATE KEY-----
        """

    /// Calls `body` with the paths of a certificate, its key, and a file that is neither.
    static func withFiles<Result>(_ body: (String, String, String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var paths: [String] = []
        for (name, text) in [("certificate.pem", certificate), ("key.pem", key), ("none.pem", "nothing")] {
            let file = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: file)
            paths.append(file.path)
        }
        return try body(paths[0], paths[1], paths[2])
    }
}
