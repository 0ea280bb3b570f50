/// Public keys and tokens made by another implementation (PyJWT on OpenSSL). The private keys were deleted. Every token
/// has `sub` alice, `device` phone, `exp` 2000000000, `iss` https://id.example.org, `aud` [roost, other] and the name
/// of the key as `kid`.
enum ForeignKeys {
    static let rsaPEM = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvluP3ZmuSaMrK5xyUgY4
        S2byRg03wU/1G2RQWpJBs9gAHgIVXDs8OyiZ5QvMcHfm7gI/CAeKF+Du187m0svu
        +/zTBU9NMj7wIgxb9UQV10CYG38d4Lac5CQ737AiIpJ/0i5xbICKDC4TQ8Kb/JLn
        UVTe/Hhr3piFLZcxPrA0AWIO6kNLVoXI38/yhjgRyVpyRdRQSmvedVH6QAuWI5Wt
        6cPS/wQlyI8/J+6no7e2h4Q3TrXAGN/S7OGNDnZvW0o0vi1vREu4yZ7yGLh6jnzF
        N1NmF/xi+QKIkONL06WyVgvHDJW8RRYD+/URbHMEE2sTbSqYzQ5/85EWW4KfVOHK
        7wIDAQAB
        -----END PUBLIC KEY-----
        """
    static let rsaToken = [
        "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYSIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSIsImRldmljZSI6InBob25lIiwiZXh",
        "wIjoyMDAwMDAwMDAwLCJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUub3JnIiwiYXVkIjpbInJvb3N0Iiwib3RoZXIiXX0.kpMFTHI",
        "CnEWzw3rZQP0lBNpU2xZ_AuTgGhHiznOA-aM-SNi9pL_Qbz0-v_2QbkU3buIv9qRw64j2ehv12GfmytUDyXvuuA7z5HParocRV62",
        "hj0uF_MDeMieJxqle2q7PIuB-51hmC4YWh2XvQRaK7ybMKm6lgtfXrBfRXT-RUuk2ge8ZYTC38M19q6zJFMIHGrCa3czVTVa-1_s",
        "jY-FP0ew58gFJiMvdh74LktsOy6q4scvH8Shzrgt2wqmYwHE2ZyfRMQqArE411pnDHEvRA9g0VnexRJhraL010WQpC7Z728OsSYk",
        "d7NREmwoxV5o3Psk5tZcvysXwq8QVXc6E6w",
    ].joined()

    static let p256PEM = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEFaABpQZm70bj+OzJM2TuFKGQnC3p
        5QUN36zCZ0RAIwjvNzJDUK4ez8kTlQu2R0lY6lJyvLy6tN9VqX50iIMRXg==
        -----END PUBLIC KEY-----
        """
    static let p256Token = [
        "eyJhbGciOiJFUzI1NiIsImtpZCI6InAyNTYiLCJ0eXAiOiJKV1QifQ.eyJzdWIiOiJhbGljZSIsImRldmljZSI6InBob25lIiwiZ",
        "XhwIjoyMDAwMDAwMDAwLCJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUub3JnIiwiYXVkIjpbInJvb3N0Iiwib3RoZXIiXX0.agq1q",
        "Fj45HX-2XICy4Gzejjm6inxpu48Y6a1l4NjSg0brKNOvWMGOasF91qvF9ngMyNmQgbSPqKix8bFdUq7iw",
    ].joined()

    static let ed25519PEM = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAbYlZuy6teSHEJpeZ4J3OPOj0qBRdNH/+OilScDltE9o=
        -----END PUBLIC KEY-----
        """
    static let ed25519Token = [
        "eyJhbGciOiJFZERTQSIsImtpZCI6ImVkMjU1MTkiLCJ0eXAiOiJKV1QifQ.eyJzdWIiOiJhbGljZSIsImRldmljZSI6InBob25lI",
        "iwiZXhwIjoyMDAwMDAwMDAwLCJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUub3JnIiwiYXVkIjpbInJvb3N0Iiwib3RoZXIiXX0.p",
        "DJrjmfVVRsU4yKoUZQiGHREiQOyW6SSrz5S4WOHeFDJRbklrOUyfdBz1Q3mbLHP0NeIIyh5GU0hwHddPhe1BA",
    ].joined()

    /// 1024 bits, fewer than RFC 7518, section 3.3 allows.
    static let weakRSAPEM = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCgzyG+MOa+3eMpJ1HT0yMwNaQ/
        uIXlZa1JGokxOkQ3s5Hcjp370jw2vgdigovDSLkJXYREUwVgldmaRCMZdo7Vtsgw
        eauJ6ODgecHG5K6th2rYbqOWGlNBQ3AlnfEEEtA+OlnGrmanWurn/7uVBRelmzMI
        Q6XG0rDszCjt3xhgSwIDAQAB
        -----END PUBLIC KEY-----
        """

    /// A curve that ES256 doesn't use.
    static let p384PEM = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEhYfEnuPXU2Z6KOjZOzASiQBeCD+qq0AE
        tWI3juaXE3RiIX9ZvPu4AVnnlCrVQID89ZlTj+1qrlCmVHtbSerWfJAEG7aRqPfV
        gEiA8smHUtzgWpSIBGU2+ZlyG6QHmNWq
        -----END PUBLIC KEY-----
        """

    private static let modulus = [
        "vluP3ZmuSaMrK5xyUgY4S2byRg03wU_1G2RQWpJBs9gAHgIVXDs8OyiZ5QvMcHfm7gI_CAeKF-Du187m0svu-_zTBU9NMj7wIgxb",
        "9UQV10CYG38d4Lac5CQ737AiIpJ_0i5xbICKDC4TQ8Kb_JLnUVTe_Hhr3piFLZcxPrA0AWIO6kNLVoXI38_yhjgRyVpyRdRQSmve",
        "dVH6QAuWI5Wt6cPS_wQlyI8_J-6no7e2h4Q3TrXAGN_S7OGNDnZvW0o0vi1vREu4yZ7yGLh6jnzFN1NmF_xi-QKIkONL06WyVgvH",
        "DJW8RRYD-_URbHMEE2sTbSqYzQ5_85EWW4KfVOHK7w",
    ].joined()

    static let rsaJWK = #"{"kty":"RSA","use":"sig","alg":"RS256","kid":"rsa","n":"\#(modulus)","e":"AQAB"}"#
    static let p256JWK = """
        {"kty":"EC","crv":"P-256","kid":"p256","x":"FaABpQZm70bj-OzJM2TuFKGQnC3p5QUN36zCZ0RAIwg",
        "y":"7zcyQ1CuHs_JE5ULtkdJWOpScry8urTfVal-dIiDEV4"}
        """
    static let ed25519JWK = """
        {"kty":"OKP","crv":"Ed25519","alg":"EdDSA","kid":"ed25519","x":"bYlZuy6teSHEJpeZ4J3OPOj0qBRdNH_-OilScDltE9o"}
        """
}
