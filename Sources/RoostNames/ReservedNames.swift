/// Usernames that people would take for the operator's, or for a word of the apps. Only services and operators give
/// them.
package enum ReservedNames {
    private static let words: Set<String> = [
        "abuse", "admin", "administrator", "admins", "all", "anonymous", "bot", "channel", "contact", "deleted",
        "everybody", "everyone", "group", "help", "helpdesk", "here", "hostmaster", "info", "me", "mod", "moderator",
        "moderators", "mods", "nobody", "noreply", "null", "official", "operator", "operators", "owner", "postmaster",
        "privacy", "roost", "roostservices", "root", "security", "self", "server", "service", "services", "staff",
        "superuser", "support", "sysadmin", "system", "team", "undefined", "unknown", "user", "webmaster", "you",
    ]

    /// Whether a username is reserved, whatever its case and however it is dotted: `Ad.Min`, too.
    package static func contains(_ username: String) -> Bool {
        words.contains(username.lowercased().filter { $0 != "." && $0 != "_" })
    }
}
