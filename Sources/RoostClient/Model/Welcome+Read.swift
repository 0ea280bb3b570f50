import RoostWire

extension Welcome {
    init?(_ members: EventMembers) {
        guard members.string("type") == "welcome", let user = members.string("user"),
            let device = members.string("device"), let time = members.time("time")
        else { return nil }
        self.user = user
        self.device = device
        isUpToDate = members.string("position") == members.string("head")
        epoch = members.string("epoch") ?? ""
        durability = members.string("durability").flatMap(Durability.init(rawValue:))
        expires = members.time("expires")
        self.time = time
        server = members.string("server") ?? ""
        limits = ServerLimits()
        guard let told = members["limits"].map(EventMembers.init) else { return }
        limits.frameBytes = told.count("frameBytes") ?? limits.frameBytes
        limits.bodyBytes = told.count("bodyBytes") ?? limits.bodyBytes
        limits.textScalars = told.count("textScalars") ?? limits.textScalars
        limits.historyMax = told.count("historyMax") ?? limits.historyMax
        limits.membersMax = told.count("membersMax") ?? limits.membersMax
        limits.typing = told.integer("typingSeconds").map { .seconds($0) } ?? limits.typing
    }
}
