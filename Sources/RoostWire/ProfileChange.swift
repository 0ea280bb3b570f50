/// What `profile.set` and `admin.profile` change. What is nil stays as it is, and an empty text takes a member away.
/// Every `Text` is borrowed, as in `Command`.
public struct ProfileChange {
    /// The display name, which is never empty.
    public var name: Text?
    /// The name by which others find the user. The relay folds its case.
    public var username: Text?
    /// Where the photo is: a reference that means nothing to the relay.
    public var photo: Text?
    /// What the user says of itself.
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
