/// The members of each event besides `type`, and of the objects in them. Tests/ProtocolDocument/check.py compares this
/// list with Docs/asyncapi.yaml, and `WireModelTests` with what a relay writes.
let wireMembers: [String: String] = [
    "welcome": "re user device operator new position head epoch durability expires time server status badge limits",
    "ok": """
    re conversation sequence position time duplicate expires conversations next members of deliveredCount readCount \
    messages gaps events more users devices privacy \
    profiles partial version contact contacts prospect prospects exceptions people person whereabouts statistics feed \
    closed unstored erasure states receipts reports pins bans kind body origin deletedAt invite invites \
    invitation reported found joins waiting
    """,
    "error": "re code reason retry retryAfter conversation",
    "pong": "re time",
    "message": """
    conversation sequence position from device key time kind body replyTo thread read mentions origin expires \
    editedAt version deletedAt reactions replies hidden
    """,
    "edit": "conversation sequence position from time kind body mentions version hidden",
    "delete": "conversation sequence position from time reason hidden",
    "react": "conversation sequence position from time reaction removed hidden",
    "conversation": """
    event conversation sequence position by time kind name photo description createdAt count members users user role \
    owner after pin unread read request inviter banned reason until posting joining
    """,
    "state": "key value version position device time reset",
    "signal": "conversation from kind body",
    "gap": "conversation from to reset",
    "live": "position",
    "receipt": "conversation user delivered deliveredAt read readAt unread unreadFrom mentions firstMention",
    "badge": "unread",
    "joins": "conversation waiting",
    "typing": "conversation user replyTo several active",
    "presence": "users late conversations",
    "profile": "user version name username photo bio role tier deleted",
    "status": "state text until",
    "privacy": "presence lastSeen read",
    "contact": "user kind state label since",
    "prospects": "count",
    "drain": "after",
    "statistics": """
    time sessions operators strangers behind waitingBytes users online away busy offline active idle background opened \
    ended commands messages deliveries signals changes joins refused refusedRequests shed gaps storeBytes memoryBytes \
    processorMilliseconds freeBytes stored acked presence commit turn errors ends
    """,
    "limits": """
    frameBytes bodyBytes textScalars historyDefault historyMax backlogMax pageMessages membersMax typingSeconds \
    graceSeconds refreshGraceSeconds pingSeconds pongSeconds commandsPerSecond
    """,
    "conversationObject": """
    conversation kind name photo description createdAt request role count members sequence unread unreadFrom mentions \
    firstMention expiry posting slow joining waiting timeout pins read message time
    """,
    "origin": "from",
    "sequenceRange": "from to",
    "pin": "sequence by time message",
    "ban": "user by time reason",
    "timeout": "until reason",
    "member": "user role timeout delivered deliveredAt read readAt state text lastSeen seen",
    "reactionCount": "reaction count mine",
    "threadSummary": "count last time",
    "userPresence": "user state text lastSeen seen",
    "userProfile": "user version name username photo bio role tier deleted",
    "personShown": "user version name photo deleted",
    "onlineCount": "conversation online of",
    "ownStatus": "state text until",
    "messageReceipt": "user deliveredAt read readAt",
    "setting": "key value version time",
    "reports": "open list people next",
    "reported": "report messages people",
    "found": "people groups links names next",
    "groupFound": "conversation name count members sequence position",
    "linkFound": "user invite",
    "personNamed": "user version name username photo deleted",
    "report": """
    report state time reporter user conversation sequence group erased reason text closedBy closedAt note
    """,
    "ownPrivacy": "presence lastSeen read",
    "exception": "user as",
    "ownContact": "user kind state label since",
    "prospect": "prospect name note",
    "invite": "invite conversation kind uses used createdAt expires code",
    "invitation": "name group",
    "joinRequest": "user name inviter group time expires",
    "ownDevice": "device state since ended",
    "ended": "reason time",
    "people": "online away busy offline users next",
    "herePerson": "user name state devices",
    "person": """
    user state reason wants lastSeen watchers conversations contacts requests blocks profile revoked devices head
    """,
    "personDevice": """
    device state position session address since heard feed unacked waitingBytes until ended revoked
    """,
    "whereabouts": "position conversation sequence kind time user device key deleted of members next",
    "recipient": "user hidden delivered deliveredAt read readAt devices",
    "recipientDevice": "device state online since",
    "keptStatistics": "every history",
    "feed": "events position head more damaged",
    "erasure": "erased damaged position more",
    "feedEvent": """
    conversation sequence position from by device key time kind body replyTo thread mentions origin expires editedAt \
    version deletedAt reaction removed event name photo description createdAt count members users user role owner \
    after pin unread read request inviter banned reason until posting joining
    """,
    "timing": "count p50 p99",
]
