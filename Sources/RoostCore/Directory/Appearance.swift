/// A group's name, photo and description. Photo and description are empty if there is none.
struct Appearance {
    var name: String
    var photo = ""
    var description = ""

    /// Applies a change, which may be of something else.
    mutating func apply(_ change: ConversationChange) {
        switch change {
        case .rename(let name): self.name = name
        case .describe(let photo, let description):
            if let photo { self.photo = photo }
            if let description { self.description = description }
        case .create, .add, .remove, .leave, .erase, .roles, .expiry, .pin, .unpin, .restrict, .slow, .joining,
            .accept:
            break
        }
    }
}
