/// A change by `profile.set` or `admin.profile`. Nil leaves a member unchanged, and an empty text removes it. Every
/// `Text` is borrowed, as in `Command`.
public struct ProfileChange {
    /// The display name, which is never empty.
    public var name: Text?
    /// The name by which others find the user. The relay folds its case.
    public var username: Text?
    /// Where the photo is: a reference that means nothing to the relay.
    public var photo: Text?
    /// The user's self-description.
    public var bio: Text?
    /// The role and the tier, which only services and operators give.
    public var role, tier: Text?
    /// The version that the profile has to have, 0 for none; nil for any.
    public var ifVersion: Int64?

    /// Changes nothing.
    public init() {}

    /// Whether it changes nothing.
    public var isEmpty: Bool {
        name == nil && username == nil && photo == nil && bio == nil && role == nil && tier == nil
    }
}
