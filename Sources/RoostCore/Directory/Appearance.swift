/// How a group shows itself. Photo and description are empty if there is none.
struct Appearance {
    var name: String
    var photo = ""
    var description = ""

    /// Its parts.
    struct Parts: OptionSet {
        let rawValue: UInt8

        static let name = Parts(rawValue: 1)
        static let photo = Parts(rawValue: 2)
        static let description = Parts(rawValue: 4)
    }

    /// Changes that were handed to the writer and aren't settled yet.
    struct Pending {
        /// As it will be if all of them are stored.
        var newest: Appearance
        /// Parts that may be otherwise in the end, because a change of them may be a retry.
        var uncertain: Parts = []
        var underWay = 0
    }

    /// Applies a change.
    /// - Returns: the parts that it sets; none for a change of something else.
    @discardableResult
    mutating func apply(_ change: ConversationChange) -> Parts {
        switch change {
        case .rename(let name):
            self.name = name
            return .name
        case .describe(let photo, let description):
            var parts: Parts = []
            if let photo {
                self.photo = photo
                parts.insert(.photo)
            }
            if let description {
                self.description = description
                parts.insert(.description)
            }
            return parts
        case .create, .add, .remove, .leave, .erase, .roles, .expiry, .pin, .unpin, .accept: return []
        }
    }
}
