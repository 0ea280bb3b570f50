import RoostWire

/// Applies changes whose event was stored.
extension ConversationCommands {
    /// Applies a stored change and sends it to everyone concerned, including removed members.
    func apply(
        _ change: ConversationChange?, _ event: StoredEvent, to conversation: Conversation, except origin: Session?,
        author: UserNumber = .none, _ now: Moment
    ) {
        if case .create = change { conversation.begin(at: event.time) }
        switch change {
        case .create(_, _, _, let members), .add(let members):
            directory.admit(members, to: conversation, at: event.position, delivery.settle())
            presence.joined(members, conversation, at: event.position, now)
            tell(event, to: conversation, except: origin)
            tellWhatWasBefore(members, in: conversation, event.position)
            JoinNews(self).forget(members.map(\.user), in: conversation)
            if let request = conversation.opening.request {
                introduceSender(of: request, in: conversation)
            } else if let pair = conversation.pair {
                introduce(pair, unknownTo: event.withheldFrom(in: pair), now)
            }
        case .rename, .describe:
            if let change { conversation.show(change) }
            tell(event, to: conversation, except: origin)
        case .expiry(let time):
            conversation.lifetime.expiry = time
            tell(event, to: conversation, except: origin)
        case .pin(let sequence):
            conversation.highlights.pins.pin(
                StoredPin(
                    sequence, of: author, by: event.sender, at: event.time, event.position,
                    hiddenFrom: event.withheldFrom(in: conversation.pair)))
            tell(event, to: conversation, except: origin, pinning: author)
        case .unpin(let sequence):
            let author = conversation.highlights.pins.author(of: sequence) ?? .none
            conversation.highlights.pins.unpin(
                sequence, by: event.sender, isWithheld: event.extras.isWithheld)
            tell(event, to: conversation, except: origin, pinning: author)
        case .restrict(let user, let restriction):
            moderation.apply(restriction, of: user, event, to: conversation, except: origin, now)
        case .slow(let time):
            conversation.moderation.pace.set(time)
            tell(event, to: conversation, except: origin)
        case .joining(let rule):
            conversation.moderation.joining.set(rule)
            tell(event, to: conversation, except: origin)
        case .remove(let users):
            tell(event, to: conversation, except: origin)
            end(directory.dismiss(users, from: conversation, at: event.position, delivery.settle()), now)
        case .leave(let user, let heir):
            tell(event, to: conversation, except: origin)
            if let heir {
                directory.setRoles([NewMember(heir, .owner)], in: conversation)
                JoinNews(self).tell([NewMember(heir, .owner)], of: conversation)
            }
            end(directory.dismiss([user], from: conversation, at: event.position, delivery.settle()), now)
        case .erase:
            tell(event, to: conversation, except: origin)
            end(directory.erase(conversation, at: event.position, delivery.settle()), now)
            chores.begin(ForgottenDepartures(of: conversation, directory), at: now)
            delivery.window.forget(conversation.number)
        case .roles(let changes):
            directory.setRoles(changes, in: conversation)
            tell(event, to: conversation, except: origin)
            JoinNews(self).tell(changes, of: conversation)
        case .accept, nil:
            tell(event, to: conversation, except: origin)
        }
    }

    /// The two users of a direct conversation see each other from now on.
    /// - Parameter other: the one who sees no change; `.none` if both see one.
    func introduce(_ pair: UserPair, unknownTo other: UserNumber = .none, _ now: Moment) {
        guard let low = directory.user(pair.low), let high = directory.user(pair.high) else { return }
        for (user, peer) in [(low, high), (high, low)] where user.number != other || user.hasBlocked(peer.number) {
            presence.introduce(peer, to: user, at: now)
            profiles.show(peer, to: user)
        }
    }

    /// A direct conversation is there from now on for a user who is shown the other one by it.
    func show(_ other: UserNumber, to user: User, in conversation: Conversation, _ now: Moment) {
        guard !conversation.isRequest, let other = directory.user(other) else { return }
        for session in user.sessions { presence.show([other], to: session, at: now) }
        profiles.show(other, to: user)
    }

    /// - Parameter author: of the message that is pinned or unpinned.
    func tell(
        _ event: StoredEvent, to conversation: Conversation, except origin: Session?, pinning author: UserNumber = .none
    ) {
        delivery.gather(
            event, from: directory.user(event.sender), in: conversation, except: origin, answering: nil,
            pinning: directory.user(author))
    }

    /// Sends the earlier state to devices of new members that have just got the event of joining. Other devices get it
    /// when they catch up.
    private func tellWhatWasBefore(_ members: [NewMember], in conversation: Conversation, _ position: Position) {
        guard conversation.lastSequence > .none else { return }
        delivery.settle()
        for new in members {
            guard let member = conversation.member(new.user), member.joinedAt == position else { continue }
            for session in member.user.sessions
            where session.feed.state == .live && session.feed.sentPosition >= position {
                delivery.tellWhatWasBefore(member, to: session)
            }
        }
    }

    /// Ends everything that depended on these memberships.
    func end(_ memberships: [Member], _ now: Moment) {
        for member in memberships {
            typing.stop(member)
            presence.left(member, at: now)
        }
    }
}
